// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/legend_panel.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/shell/legend.h"

#include <QVBoxLayout>

namespace ui {

LegendPanel::LegendPanel(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    m_column->setContentsMargins(0, 4, 0, 8);
    m_column->setSpacing(4);
    m_column->addWidget(new Legend(this));
    m_column->addStretch(1);
}

void LegendPanel::setCanvas(GraphCanvas*) {}

} // namespace ui
