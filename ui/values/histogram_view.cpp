// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/histogram_view.h"

#include "ui/values/values_text.h"
#include "ui/widgets/theme.h"

#include <QAreaSeries>
#include <QChart>
#include <QEvent>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLineSeries>
#include <QValueAxis>

#include <algorithm>

namespace ui {

namespace {

/// The outline of the bars. Areas are shares of the values, so that histograms with other bins can be laid over each
/// other.
QLineSeries* outline(const fx::TensorStatistics& values, QObject* parent) {
    auto* line = new QLineSeries(parent);
    const double span = values.max > values.min ? values.max - values.min : 1,
                 width = span / fx::TensorStatistics::kBins;
    const double start = values.max > values.min ? values.min : values.min - width / 2;
    line->append(start, 0);
    for (std::size_t bin = 0; bin < values.histogram.size(); ++bin) {
        const double height = static_cast<double>(values.histogram[bin]) / (static_cast<double>(values.finite) * width),
                     left = start + static_cast<double>(bin) * width;
        line->append(left, height);
        line->append(left + width, height);
        if (values.max <= values.min) break; // one value only: one bar
    }
    line->append(line->at(line->count() - 1).x(), 0);
    return line;
}

double highest(const QLineSeries& line) {
    double most = 0;
    for (const QPointF& point : line.points()) most = std::max(most, point.y());
    return most;
}

} // namespace

HistogramView::HistogramView(QWidget* parent) : QChartView(new QChart, parent) {
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setAccessibleName(tr("Histogram"));
    setMinimumSize(120, 60);
    chart()->setMargins(QMargins(2, 2, 2, 2));
    chart()->setBackgroundRoundness(0);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
}

void HistogramView::setValues(const fx::NodeValues& values) {
    m_values = values;
    m_values.value.cells.clear();
    if (m_values.original) m_values.original->cells.clear();
    show();
}

void HistogramView::show() {
    QChart* drawn = chart();
    drawn->removeAllSeries();
    for (QAbstractAxis* axis : drawn->axes()) {
        drawn->removeAxis(axis);
        delete axis;
    }
    const Theme& t = theme();
    drawn->setBackgroundBrush(t.panel);
    setBackgroundBrush(t.panel);
    const fx::TensorStatistics& own = m_values.value.statistics;
    if (!m_values.value.isTensor() || own.finite == 0) return drawn->legend()->hide();
    QLineSeries* line = outline(own, nullptr);
    auto* area = new QAreaSeries(line);
    line->setParent(area); // which does not take it by itself
    area->setName(tr("now"));
    QColor fill = t.accent;
    fill.setAlpha(90);
    area->setBrush(fill);
    area->setPen(QPen(t.accent, 1));
    drawn->addSeries(area);
    double most = highest(*line);
    const bool compared =
        m_values.original && m_values.original->isTensor() && m_values.original->statistics.finite > 0;
    if (compared) {
        QLineSeries* other = outline(m_values.original->statistics, drawn);
        other->setName(tr("original"));
        other->setPen(QPen(t.text, 1.2, Qt::DotLine));
        drawn->addSeries(other);
        most = std::max(most, highest(*other));
    }
    drawn->legend()->setVisible(compared);
    drawn->legend()->setAlignment(Qt::AlignTop);
    drawn->legend()->setLabelColor(t.muted);
    auto *across = new QValueAxis(drawn), *up = new QValueAxis(drawn);
    up->setRange(0, most * 1.05);
    up->hide();
    across->setTruncateLabels(false); // "-1…" says nothing
    across->setLabelFormat(QStringLiteral("%.3g"));
    across->setLabelsColor(t.muted);
    across->setLinePen(QPen(t.border));
    across->setGridLineVisible(false);
    drawn->addAxis(across, Qt::AlignBottom);
    drawn->addAxis(up, Qt::AlignLeft);
    for (QAbstractSeries* series : drawn->series()) {
        series->attachAxis(across);
        series->attachAxis(up);
    }
    fitTicks();
    setAccessibleDescription(
        tr("from %1 to %2, mean %3").arg(numberText(own.min), numberText(own.max), numberText(own.mean)));
}

/// The ends, and the middle where its label has room between theirs.
void HistogramView::fitTicks() {
    const auto axes = chart()->axes(Qt::Horizontal);
    auto* across = axes.isEmpty() ? nullptr : qobject_cast<QValueAxis*>(axes.front());
    if (!across) return;
    const QFontMetricsF metrics(across->labelsFont());
    const auto width = [&](double value) { return metrics.horizontalAdvance(QString::number(value, 'g', 3)); };
    const double ends = (width(across->min()) + width(across->max())) / 2;
    const double middle = width((across->min() + across->max()) / 2);
    constexpr double kBetween = 16, kBesidePlot = 60; // px: two gaps; what the chart keeps for the labels at the ends
    across->setTickCount(ends + middle + kBetween <= this->width() - kBesidePlot ? 3 : 2);
}

void HistogramView::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    fitTicks();
}

void HistogramView::changeEvent(QEvent* event) {
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) show();
}

} // namespace ui
