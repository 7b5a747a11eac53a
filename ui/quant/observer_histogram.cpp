// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/observer_histogram.h"

#include "ui/widgets/counted_text.h"
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
    // From what was seen to the ends of the range, whichever is farther: bins reach beyond both.
    const double low = seen.scale ? std::min(seen.least, seen.low) : seen.least;
    const double width = std::max((seen.scale ? std::max(seen.greatest, seen.high) : seen.greatest) - low, 1e-30);
    const auto x = [&](double value) {
        return area.left() + std::clamp((value - low) / width, 0.0, 1.0) * area.width();
    };
    // Logarithmic: the tails, which are what saturates, would not be seen beside the peak.
    const double most = std::log1p(double(*std::max_element(seen.histogram.begin(), seen.histogram.end())));
    const double first = seen.histogramLow, step = (seen.histogramHigh - first) / double(seen.histogram.size());
    for (std::size_t i = 0; i < seen.histogram.size(); ++i) {
        if (seen.histogram[i] == 0) continue;
        const double from = first + step * double(i), middle = from + step / 2;
        const bool outside = seen.scale && (middle < seen.low || middle > seen.high);
        const double height = std::max(1.0, area.height() * std::log1p(double(seen.histogram[i])) / most);
        painter.fillRect(QRectF(x(from), area.bottom() - height, std::max(1.0, x(from + step) - x(from)), height),
                         outside ? look.warning.line : look.accent);
    }
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (seen.scale) {
        painter.setPen(QPen(look.text, 1, Qt::DashLine));
        for (const double end : {seen.low, seen.high})
            painter.drawLine(QPointF(x(end), area.top()), QPointF(x(end), area.bottom()));
        const QRectF between(x(seen.low) + kSide, area.top(), x(seen.high) - x(seen.low) - 2 * kSide, kAxis);
        painter.drawText(between, Qt::AlignLeft, number(seen.low));
        painter.drawText(between, Qt::AlignRight, number(seen.high));
    }
    drawNumbers(painter, QRectF(area.left(), area.bottom() + 2, area.width(), kAxis - 2), x(seen.least),
                x(seen.greatest));
}

/// Below: the ends of the data, and in the middle, if there is room, how much of it saturates.
void ObserverHistogram::drawNumbers(QPainter& painter, const QRectF& line, double least, double greatest) const {
    const fx::remote::ObserverState& seen = *m_observer;
    painter.setPen(theme().muted);
    const QString share = tr("%1\u00a0% saturate").arg(100 * seen.saturatedShare(), 0, 'g', 2);
    const QRectF middle = painter.boundingRect(line, Qt::AlignHCenter, share);
    bool isFree = seen.scale.has_value();
    for (const auto& [at, value] : {std::pair(least, seen.least), std::pair(greatest, seen.greatest)}) {
        const QRectF wide(at - line.width() / 2, line.top(), line.width(), line.height());
        QRectF box = painter.boundingRect(wide, Qt::AlignHCenter, number(value));
        box.moveLeft(std::clamp(box.left(), line.left(), std::max(line.left(), line.right() - box.width())));
        painter.drawText(box, Qt::AlignHCenter | Qt::TextDontClip, number(value));
        isFree = isFree && !box.intersects(middle);
    }
    if (isFree) painter.drawText(line, Qt::AlignHCenter, share);
}

} // namespace ui
