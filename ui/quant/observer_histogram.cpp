// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/observer_histogram.h"

#include "ui/widgets/counted.h"
#include "ui/widgets/theme.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr int kAxis = 18, kSide = 4; ///< pixels below for numbers, and at the sides

QString number(double value) { return QString::number(value, 'g', 3); }

} // namespace

ObserverHistogram::ObserverHistogram(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Histogram of the observer"));
}

void ObserverHistogram::setObserver(const fx::remote::ObserverState* observer) {
    if (observer) m_observer = *observer;
    else m_observer.reset();
    setAccessibleDescription(about());
    setToolTip(about());
    update();
}

QString ObserverHistogram::about() const {
    if (!m_observer || m_observer->values == 0) return tr("No values were observed");
    const fx::remote::ObserverState& seen = *m_observer;
    QString text = tr("%1 from %2 to %3")
                       .arg(counted(qint64(seen.values), tr("1 value"), tr("%1 values")), number(seen.least),
                            number(seen.greatest));
    if (!seen.scale) return text + tr("; each channel has a range of its own");
    text += tr("; range %1 to %2, scale %3, zero point %4")
                .arg(number(seen.low), number(seen.high), number(*seen.scale), QString::number(seen.zeroPoint));
    return text + tr("; %1\u00a0% saturate").arg(QString::number(100 * seen.saturatedShare(), 'g', 2));
}

void ObserverHistogram::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& look = theme();
    const QRectF area = QRectF(rect()).adjusted(kSide, kSide, -kSide, -kAxis);
    painter.setPen(look.muted);
    if (!m_observer || m_observer->histogram.empty() || m_observer->values == 0)
        return painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, about());
    const fx::remote::ObserverState& seen = *m_observer;
    const double low = seen.histogramLow, width = std::max(seen.histogramHigh - low, 1e-30);
    const auto x = [&](double value) {
        return area.left() + std::clamp((value - low) / width, 0.0, 1.0) * area.width();
    };
    // Logarithmic: the tails, which are what saturates, would not be seen beside the peak.
    const double most = std::log1p(double(*std::max_element(seen.histogram.begin(), seen.histogram.end())));
    const double step = width / double(seen.histogram.size());
    for (std::size_t i = 0; i < seen.histogram.size(); ++i) {
        if (seen.histogram[i] == 0) continue;
        const double from = low + step * double(i), middle = from + step / 2;
        const bool outside = seen.scale && (middle < seen.low || middle > seen.high);
        const double height = std::max(1.0, area.height() * std::log1p(double(seen.histogram[i])) / most);
        painter.fillRect(QRectF(x(from), area.bottom() - height, std::max(1.0, x(from + step) - x(from)), height),
                         outside ? look.warning.line : look.accent);
    }
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (seen.scale) {
        painter.setPen(QPen(look.text, 1, Qt::DashLine));
        for (const double end : {seen.low, seen.high})
            if (end >= low && end <= low + width)
                painter.drawLine(QPointF(x(end), area.top()), QPointF(x(end), area.bottom()));
    }
    painter.setPen(look.muted);
    const QRectF labels(area.left(), area.bottom() + 2, area.width(), kAxis - 2);
    painter.drawText(labels, Qt::AlignLeft, number(low));
    painter.drawText(labels, Qt::AlignRight, number(low + width));
    if (seen.scale)
        painter.drawText(labels, Qt::AlignHCenter,
                         tr("%1\u00a0% saturate").arg(100 * seen.saturatedShare(), 0, 'g', 2));
}

} // namespace ui
