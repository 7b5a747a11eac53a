// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"

#include <QWidget>

namespace ui {

class GraphCanvas;

/// What the colours of a heat map mean, in the lower left corner of the canvas: for when the panel with the legend is
/// not seen. Lets the pointer through.
class HeatLegend final : public QWidget {
    Q_OBJECT
public:
    /// Shows it on the canvas; an empty one: none.
    static void showOn(GraphCanvas& canvas, const ColourLegend& legend);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    explicit HeatLegend(GraphCanvas& canvas);
    void place();

    ColourLegend m_legend;
};

} // namespace ui
