// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/curve_chart.h"

#include "ui/widgets/theme.h"

#include <QBarCategoryAxis>
#include <QChart>
#include <QChartView>
#include <QCursor>
#include <QEvent>
#include <QGraphicsSimpleTextItem>
#include <QLabel>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QToolTip>
#include <QVBoxLayout>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {
/// Kept out of the legend.
QLineSeries* lineOf(QChart* chart, std::initializer_list<QPointF> points, const QPen& pen) {
    auto* line = new QLineSeries(chart);
    line->append(QList<QPointF>(points));
    line->setPen(pen);
    chart->addSeries(line);
    const auto markers = chart->legend()->markers(line);
    for (QLegendMarker* marker : markers) marker->setVisible(false);
    return line;
}
} // namespace

CurveChart::CurveChart(QWidget* parent)
    : QWidget(parent), m_text(new QLabel(this)), m_chart(new QChart), m_view(new QChartView(m_chart, this)) {
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setProperty("role", "muted");
    m_text->setAlignment(Qt::AlignCenter);
    m_text->setMargin(16);
    m_chart->setMargins({4, 4, 12, 4});
    m_chart->setBackgroundRoundness(0);
    m_chart->legend()->setAlignment(Qt::AlignTop);
    m_view->setRenderHint(QPainter::Antialiasing);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setMinimumSize(120, 80);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_text, 1);
    column->addWidget(m_view, 1);
    connect(m_chart, &QChart::plotAreaChanged, this, &CurveChart::placeLabels);
    setText({});
}

void CurveChart::setText(const QString& text) {
    m_curves.clear();
    m_text->setText(text);
    m_text->show();
    m_view->hide();
}

void CurveChart::setCurves(std::vector<Curve> curves, QStringList labels, const QString& valueTitle,
                           const QString& placeTitle, std::optional<double> baseline, bool fromZero) {
    m_curves = std::move(curves);
    m_labels = std::move(labels);
    m_valueTitle = valueTitle, m_placeTitle = placeTitle, m_baseline = baseline, m_fromZero = fromZero;
    m_text->hide();
    m_view->show();
    draw();
}

void CurveChart::draw() {
    m_chart->removeAllSeries();
    const auto old = m_chart->axes();
    for (QAbstractAxis* axis : old) {
        m_chart->removeAxis(axis);
        delete axis;
    }
    const Theme& t = theme();
    m_chart->setBackgroundBrush(t.panel);
    m_view->setBackgroundBrush(t.panel);
    m_chart->legend()->setLabelColor(t.muted);
    double low = m_baseline.value_or(INFINITY), high = m_baseline.value_or(-INFINITY);
    for (const Curve& curve : m_curves)
        for (const Curve::Point& point : curve.points)
            low = std::min({low, point.low, point.value}), high = std::max({high, point.high, point.value});
    if (m_baseline)
        lineOf(m_chart, {{-0.5, *m_baseline}, {static_cast<double>(m_labels.size()) - 0.5, *m_baseline}},
               QPen(t.edge, 1, Qt::DashLine));
    for (const Curve& curve : m_curves) addCurve(curve);
    m_chart->legend()->setVisible(m_curves.size() > 1);
    auto* places = new QBarCategoryAxis;
    places->append(m_labels);
    places->setTitleText(m_placeTitle);
    auto* values = new QValueAxis;
    const double margin = std::max((high - low) * 0.1, std::abs(high) * 0.01);
    values->setRange(m_fromZero ? 0 : low - margin, high + margin);
    values->setTickCount(4);
    values->setLabelFormat(high >= 100  ? QStringLiteral("%.0f")
                           : high >= 10 ? QStringLiteral("%.1f")
                                        : QStringLiteral("%.2f"));
    values->setTitleText(m_valueTitle);
    for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(places), static_cast<QAbstractAxis*>(values)}) {
        axis->setLabelsColor(t.muted);
        axis->setTitleBrush(t.muted);
        axis->setTitleFont(font());
        axis->setLinePenColor(t.border);
        axis->setGridLinePen(QPen(t.border, 1));
        m_chart->addAxis(axis, axis == places ? Qt::AlignBottom : Qt::AlignLeft);
        const auto all = m_chart->series();
        for (QAbstractSeries* each : all) each->attachAxis(axis);
    }
    places->setGridLineVisible(false);
    for (QGraphicsSimpleTextItem* label : m_pointLabels) delete label;
    m_pointLabels.clear();
    for (const Curve& curve : m_curves)
        for (const Curve::Point& point : curve.points) {
            m_pointLabels.push_back(point.label.isEmpty() ? nullptr
                                                          : new QGraphicsSimpleTextItem(point.label, m_chart));
            if (!m_pointLabels.back()) continue;
            m_pointLabels.back()->setBrush(curve.accented ? t.text : t.muted);
            m_pointLabels.back()->setFont(font());
            m_pointLabels.back()->setZValue(20);
        }
    fitTitles();
    placeLabels();
}

/// In little height the curves matter more than what the axes are called.
void CurveChart::fitTitles() {
    constexpr int kRoomForTitles = 190;
    const auto axes = m_chart->axes();
    for (QAbstractAxis* axis : axes) axis->setTitleVisible(height() >= kRoomForTitles);
    m_chart->legend()->setAlignment(height() >= kRoomForTitles ? Qt::AlignTop : Qt::AlignRight);
}

void CurveChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitTitles();
}

/// The accented curve has its numbers above its points, the other one below: they are told apart where both are close.
void CurveChart::placeLabels() {
    std::size_t next = 0;
    const QRectF area = m_chart->plotArea();
    for (const Curve& curve : m_curves)
        for (const Curve::Point& point : curve.points) {
            QGraphicsSimpleTextItem* label = next < m_pointLabels.size() ? m_pointLabels[next++] : nullptr;
            if (!label || m_chart->series().isEmpty()) continue;
            const QPointF at =
                m_chart->mapToPosition({static_cast<double>(point.place), point.value}, m_chart->series().constLast());
            const QRectF size = label->boundingRect();
            const bool fits = at.x() + 6 + size.width() <= area.right(); // beside the interval, not on it
            const double x = std::max(area.left(), fits ? at.x() + 6 : at.x() - 6 - size.width());
            const double above = at.y() - size.height() - 7, below = at.y() + 7;
            const bool up = curve.accented ? above >= area.top() : below + size.height() > area.bottom();
            label->setPos(x, up ? above : below);
        }
}

QStringList CurveChart::pointLabels() const {
    QStringList out;
    for (const QGraphicsSimpleTextItem* label : m_pointLabels)
        if (label) out << label->text();
    return out;
}

void CurveChart::addCurve(const Curve& curve) {
    const QColor color = curve.accented ? theme().accent : theme().edge;
    auto* line = new QLineSeries(m_chart);
    auto* dots = new QScatterSeries(m_chart);
    auto* rings = new QScatterSeries(m_chart);
    for (const Curve::Point& point : curve.points) {
        line->append(point.place, point.value);
        (point.hollow ? rings : dots)->append(point.place, point.value);
        lineOf(m_chart, {{static_cast<double>(point.place), point.low}, {static_cast<double>(point.place), point.high}},
               QPen(color, 2));
    }
    line->setName(curve.name);
    line->setPen(QPen(color, 2));
    dots->setColor(color);
    dots->setBorderColor(theme().panel);
    dots->setMarkerSize(9);
    rings->setColor(theme().panel);
    rings->setPen(QPen(color, 2));
    rings->setMarkerSize(9);
    m_chart->addSeries(line);
    for (QScatterSeries* each : {dots, rings}) {
        m_chart->addSeries(each);
        const auto markers = m_chart->legend()->markers(each);
        for (QLegendMarker* marker : markers) marker->setVisible(false);
        connect(each, &QScatterSeries::hovered, this, [this, points = curve.points](const QPointF& at, bool over) {
            const auto point = std::find_if(points.begin(), points.end(),
                                            [&](const Curve::Point& one) { return one.place == std::lround(at.x()); });
            if (over && point != points.end()) QToolTip::showText(QCursor::pos(), point->tip, this);
            else QToolTip::hideText();
        });
    }
}

void CurveChart::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_view && !m_curves.empty()) draw();
}

} // namespace ui
