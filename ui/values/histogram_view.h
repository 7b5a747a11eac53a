// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/value_view.h"

#include <QChartView>

namespace ui {

/// Chart of the density of a node's finite values, with that of the original as a line.
class HistogramView final : public QChartView {
    Q_OBJECT
public:
    explicit HistogramView(QWidget* parent = nullptr); ///< Creates an empty chart.
    void setValues(const fx::NodeValues& values);      ///< Shows other values; keeps no cells.

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void show();
    void fitTicks();

    fx::NodeValues m_values; ///< without cells
};

} // namespace ui
