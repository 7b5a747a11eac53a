// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace ui {

class GraphCanvas;
class Legend;
struct ColourLegend;
class Minimap;

/// Panel with the legend, and below it an overview of the picture.
class LegendPanel final : public QWidget {
    Q_OBJECT
public:
    explicit LegendPanel(QWidget* parent = nullptr); ///< Creates a panel without an overview.
    /// Shows the overview of a canvas; null: none.
    void setCanvas(GraphCanvas* canvas);
    /// Sets the legend; empty for the kinds of nodes.
    void setColours(const ColourLegend& colours);

private:
    Legend* m_legend;
    Minimap* m_map;
};

} // namespace ui
