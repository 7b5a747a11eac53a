// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/heat_legend.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/widgets/theme.h"

#include <QEvent>
#include <QPainter>
#include <QtMath>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRamp = 220, kPad = 10;
}

HeatLegend::HeatLegend(GraphCanvas& canvas) : QWidget(&canvas) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setObjectName(QStringLiteral("heatLegend"));
    canvas.installEventFilter(this);
}

void HeatLegend::showOn(GraphCanvas& canvas, const ColourLegend& legend) {
    auto* shown = canvas.findChild<HeatLegend*>(QString(), Qt::FindDirectChildrenOnly);
    if (legend.empty()) {
        if (shown) shown->hide();
        return;
    }
    if (!shown) shown = new HeatLegend(canvas);
    shown->m_legend = legend;
    shown->setAccessibleName(tr("Heat map: %1, from %2 to %3. %4")
                                 .arg(legend.title, legend.ramp.value(0), legend.ramp.value(2), legend.note));
    shown->place();
    shown->show();
    shown->update();
}

QSize HeatLegend::sizeHint() const {
    int width = std::max(kRamp, fontMetrics().horizontalAdvance(m_legend.note)) + 1;
    const QStringList lines = m_legend.title.split(u'\n');
    for (const QString& line : lines) width = std::max(width, fontMetrics().horizontalAdvance(line) + 1);
    return {width + 2 * kPad, qCeil(legendHeight(m_legend, width, font())) + 2 * kPad};
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
    painter.setPen(theme().border);
    painter.setBrush(theme().panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    paintLegend(painter, QRectF(rect()).adjusted(kPad, kPad, -kPad, -kPad), m_legend, theme(), font());
}

} // namespace ui
