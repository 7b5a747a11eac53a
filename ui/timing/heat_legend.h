// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"

#include <QWidget>

namespace ui {

class GraphCanvas;

/// The legend of a heat map in the lower left corner of the canvas, for use while the legend panel is hidden.
/// Transparent to the mouse.
class HeatLegend final : public QWidget {
    Q_OBJECT
public:
    /// Shows the legend on the canvas, or hides it if empty.
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
