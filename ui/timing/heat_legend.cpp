// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/heat_legend.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/timing/heat_map.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/theme.h"

#include <QEvent>
#include <QLinearGradient>
#include <QPainter>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRamp = 220, kRampHeight = 10, kPad = 10;
QString title() { return HeatLegend::tr("time of a node"); }
}

HeatLegend::HeatLegend(GraphCanvas& canvas) : QWidget(&canvas) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setObjectName(QStringLiteral("heatLegend"));
    canvas.installEventFilter(this);
}

void HeatLegend::showOn(GraphCanvas& canvas, const HeatMap* heat) {
    auto* legend = canvas.findChild<HeatLegend*>(QString(), Qt::FindDirectChildrenOnly);
    if (!heat) {
        if (legend) legend->hide();
        return;
    }
    if (!legend) legend = new HeatLegend(canvas);
    legend->m_longest = heat->longestMs();
    legend->m_stale = heat->stale();
    legend->setAccessibleName(tr("Heat map: from 0 to %1 for a node. %2").arg(timeText(legend->m_longest), legend->m_stale));
    legend->place();
    legend->show();
    legend->update();
}

QSize HeatLegend::sizeHint() const {
    const QFontMetrics metrics = fontMetrics();
    const int width = std::max({kRamp, metrics.horizontalAdvance(title()), metrics.horizontalAdvance(m_stale)});
    return {width + 2 * kPad, 2 * kPad + (m_stale.isEmpty() ? 2 : 3) * (metrics.height() + 2) + kRampHeight + 4};
}

void HeatLegend::place() {
    const QSize size = sizeHint();
    setGeometry(12, std::max(0, parentWidget()->height() - size.height() - 12), size.width(), size.height());
}

bool HeatLegend::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) place();
    return QWidget::eventFilter(watched, event);
}

void HeatLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& t = theme();
    painter.setPen(t.border);
    painter.setBrush(t.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const int line = fontMetrics().height() + 2;
    QRect at(kPad, kPad, width() - 2 * kPad, line);
    painter.setPen(t.text);
    painter.drawText(at, Qt::AlignLeft | Qt::AlignVCenter, title());
    const QRectF ramp(kPad, at.bottom() + 3, kRamp, kRampHeight);
    QLinearGradient colours(ramp.topLeft(), ramp.topRight());
    for (int i = 0; i <= 8; ++i) colours.setColorAt(i / 8.0, t.heat(i / 8.0));
    painter.setPen(t.border);
    painter.setBrush(colours);
    painter.drawRoundedRect(ramp, 3, 3);
    painter.setPen(t.muted);
    at = QRect(kPad, static_cast<int>(ramp.bottom()) + 2, kRamp, line);
    painter.drawText(at, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(at, Qt::AlignHCenter | Qt::AlignVCenter, timeText(m_longest / 2));
    painter.drawText(at, Qt::AlignRight | Qt::AlignVCenter, timeText(m_longest));
    if (m_stale.isEmpty()) return;
    painter.setPen(t.warning.line);
    painter.drawText(QRect(kPad, at.bottom(), width() - 2 * kPad, line), Qt::AlignLeft | Qt::AlignVCenter, m_stale);
}

} // namespace ui
