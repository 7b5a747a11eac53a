// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <QWidget>

namespace ui {

/// Chart with the median of each model as a bar from zero, its quartiles as a whisker, and the number beside it.
class TimeBars final : public QWidget {
    Q_OBJECT
public:
    explicit TimeBars(QWidget* parent = nullptr);                      ///< Creates an empty chart.
    void setVariants(std::vector<fx::timing::VariantTiming> variants); ///< Shows other models.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<fx::timing::VariantTiming> m_variants;
};

} // namespace ui
