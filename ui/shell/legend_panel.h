// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

namespace ui {

class GraphCanvas;
class Legend;
struct ColourLegend;
class Minimap;

/// What the colours mean, and below it the map of the whole picture.
class LegendPanel final : public QWidget {
    Q_OBJECT
public:
    explicit LegendPanel(QWidget* parent = nullptr);
    /// Null: no map.
    void setCanvas(GraphCanvas* canvas);
    /// What the colours mean; empty: the kinds of nodes.
    void setColours(const ColourLegend& colours);

private:
    Legend* m_legend;
    Minimap* m_map;
};

} // namespace ui
