// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/time_bars.h"

#include "ui/timing/timing_html.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QPainter>

#include <algorithm>

namespace ui {

namespace {
constexpr int kRow = 26, kBar = 14, kMargin = 12, kGap = 8;
}

TimeBars::TimeBars(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); }

void TimeBars::setVariants(std::vector<fx::timing::VariantTiming> variants) {
    m_variants = std::move(variants);
    QStringList told;
    for (const auto& each : m_variants) told << tr("%1: median %2").arg(fromCore(each.model), timeText(each.medianMs));
    setAccessibleName(told.join(QStringLiteral(", ")));
    setVisible(!m_variants.empty());
    updateGeometry();
    update();
}

QSize TimeBars::sizeHint() const { return {280, 8 + kRow * static_cast<int>(m_variants.size())}; }

void TimeBars::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetrics metrics = painter.fontMetrics();
    double most = 0;
    int names = 0, numbers = 0;
    for (const auto& each : m_variants) {
        most = std::max({most, each.medianMs, each.q3Ms});
        names = std::max(names, metrics.horizontalAdvance(fromCore(each.model)));
        numbers = std::max(numbers, metrics.horizontalAdvance(timeText(each.medianMs)));
    }
    const int left = kMargin + names + kGap, room = std::max(8, width() - left - kGap - numbers - kMargin);
    const auto at = [&](double ms) { return left + (most > 0 ? room * ms / most : 0); };
    for (std::size_t i = 0; i < m_variants.size(); ++i) {
        const auto& each = m_variants[i];
        const QRect row(0, 4 + static_cast<int>(i) * kRow, width(), kRow);
        painter.setPen(theme().text);
        painter.drawText(row.adjusted(kMargin, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, fromCore(each.model));
        const double middle = row.center().y() + 0.5;
        painter.setPen(Qt::NoPen);
        painter.setBrush(i == 0 ? theme().edge : theme().accent);
        painter.drawRoundedRect(QRectF(left, middle - kBar / 2.0, std::max(2.0, at(each.medianMs) - left), kBar), 3, 3);
        painter.setPen(QPen(theme().text, 1.5));
        painter.drawLine(QPointF(at(each.q1Ms), middle), QPointF(at(each.q3Ms), middle));
        for (const double end : {each.q1Ms, each.q3Ms})
            painter.drawLine(QPointF(at(end), middle - 4), QPointF(at(end), middle + 4));
        painter.drawText(
            QRectF(std::max(at(each.medianMs), at(each.q3Ms)) + kGap, row.top(), numbers + kMargin, row.height()),
            Qt::AlignLeft | Qt::AlignVCenter, timeText(each.medianMs));
    }
}

} // namespace ui
