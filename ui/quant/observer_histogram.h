// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/quant_message.h"

#include <QWidget>

#include <optional>

namespace ui {

/// Chart of the data of an observer, as bars, and the range that it chose: values outside saturate.
///
///        ▂▅█▇▃
///     ▁▃██████▅▂▁▁   ▁
///       |-------|          the chosen range; bars outside are in the warning colour
///     -4.5          4.1    the ends of the data
class ObserverHistogram final : public QWidget {
    Q_OBJECT
public:
    explicit ObserverHistogram(QWidget* parent = nullptr); ///< Creates an empty chart.
    /// Shows an observer; null: nothing was observed.
    void setObserver(const fx::remote::ObserverState* observer);
    /// Returns "0.4 % of 12,544 values saturate; range -2.1 to 2.6, scale 0.0186, zero point 113"; also for assistive
    /// technology.
    QString about() const;
    QSize sizeHint() const override { return {240, 110}; }
    QSize minimumSizeHint() const override { return {120, 90}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// `least` and `greatest` are drawn at their positions on the axis.
    void drawNumbers(QPainter& painter, const QRectF& line, double least, double greatest) const;

    std::optional<fx::remote::ObserverState> m_observer;
};

} // namespace ui
