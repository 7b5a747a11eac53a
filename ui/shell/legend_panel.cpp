// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/legend_panel.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/minimap.h"
#include "ui/shell/legend.h"

#include <QVBoxLayout>

namespace ui {

LegendPanel::LegendPanel(QWidget* parent) : QWidget(parent), m_legend(new Legend(this)), m_map(new Minimap(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 4, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_legend);
    column->addWidget(m_map, 1);
}

void LegendPanel::setCanvas(GraphCanvas* canvas) { m_map->setCanvas(canvas); }
void LegendPanel::setColours(const ColourLegend& colours) { m_legend->setColours(colours); }

} // namespace ui
