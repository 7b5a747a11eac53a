// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/canvas_colours.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/partition/partition_panel.h"
#include "ui/partition/why_view.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/quant/quant_panel.h"
#include "ui/result/error_map.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window_actions.h"
#include "ui/timing/heat_legend.h"
#include "ui/timing/timing_panel.h"

#include <QDockWidget>

namespace ui {

CanvasColours::CanvasColours(WindowActions& actions, Panels& panels, PanelDocks& docks, DocumentTabs& tabs,
                             ErrorMap& errors)
    : QObject(&tabs), m_actions(actions), m_panels(panels), m_docks(docks), m_tabs(tabs), m_errors(errors) {
    using Colours = DocumentPage::Colours;
    connect(actions.heatMap, &QAction::triggered, this, [this](bool chosen) { choose(Colours::Times, chosen); });
    connect(actions.errorMap, &QAction::triggered, this, [this](bool chosen) { choose(Colours::Errors, chosen); });
    connect(panels.partition, &PartitionPanel::stylesChanged, this, &CanvasColours::showChoice);
    connect(panels.quant, &QuantPanel::marksChanged, this, &CanvasColours::show);
    connect(panels.pattern, &PatternPanel::matchesChanged, this, &CanvasColours::show);
    connect(panels.timing, &TimingPanel::heatChanged, this, &CanvasColours::show);
    connect(panels.timing, &TimingPanel::heatChanged, this, &CanvasColours::choicesChanged);
    connect(&errors, &ErrorMap::changed, this, &CanvasColours::show);
    connect(&errors, &ErrorMap::changed, this, &CanvasColours::choicesChanged);
    // The canvas has the legend meanwhile; matches are marked while their panel is seen.
    for (const Panel panel : {Panel::Legend, Panel::Pattern})
        connect(&docks.dock(panel), &QDockWidget::visibilityChanged, this, &CanvasColours::show, Qt::QueuedConnection);
}

/// For the document in front alone; one of times and errors at most.
void CanvasColours::choose(DocumentPage::Colours colours, bool chosen) {
    if (DocumentPage* page = m_tabs.page()) page->setColours(chosen ? colours : DocumentPage::Colours::Kinds);
    showChoice();
}

void CanvasColours::showChoice() {
    const auto colours = m_tabs.page() ? m_tabs.page()->colours() : DocumentPage::Colours::Kinds;
    const bool covered = m_panels.partition->colours(); // what was chosen is seen again after the partitions
    m_actions.heatMap->setChecked(!covered && colours == DocumentPage::Colours::Times);
    m_actions.errorMap->setChecked(!covered && colours == DocumentPage::Colours::Errors);
    Q_EMIT choicesChanged();
    show();
}

void CanvasColours::show() {
    for (DocumentPage* page : m_tabs.pages()) paint(*page, page == m_tabs.page());
    m_panels.legend->setColours(legend());
}

void CanvasColours::paint(DocumentPage& page, bool front) {
    const PartitionPanel* partition = m_panels.partition;
    const PatternPanel* pattern = m_panels.pattern;
    const bool partitions = front && partition->colours(), free = front && !partitions;
    const HeatMap& times = m_panels.timing->heat();
    const HeatMap* heat = free && page.colours() == DocumentPage::Colours::Times && !times.empty() ? &times : nullptr;
    const ErrorMap* errors = free && page.colours() == DocumentPage::Colours::Errors ? &m_errors : nullptr;
    const QuantMarks* quant = front && m_panels.quant->isSeen() ? &m_panels.quant->marks() : nullptr;
    const bool layers = free && coloursLayers();
    GraphCanvas& canvas = page.canvas();
    const bool needsLegend = (heat || errors || layers) && !m_docks.isInFront(Panel::Legend); // one of them is enough
    HeatLegend::showOn(canvas, needsLegend ? legend() : ColourLegend());
    const auto styles = [](const auto* source) {
        return NodeStyler([source](fx::NodeId node) { return source->styleOf(node); });
    };
    const auto shares = [](const auto* source) {
        return RegionSource([source](const std::string& path) { return source->sharesOf(path); });
    };
    const bool matches = front && !pattern->result().matches.empty() && m_docks.isInFront(Panel::Pattern);
    canvas.setNodeStyler(partitions ? styles(partition)
                         : heat     ? styles(heat)
                         : errors   ? styles(errors)
                         : layers   ? styles(quant)
                         : matches  ? styles(pattern)
                                    : NodeStyler());
    canvas.setRegions(partitions ? shares(partition) : heat ? shares(heat) : errors ? shares(errors) : RegionSource());
    canvas.setEdgeBadger(quant && quant->hasBadges()
                             ? EdgeBadger([quant](fx::NodeId from, fx::NodeId to) { return quant->badgeOf(from, to); })
                             : EdgeBadger());
    canvas.setBands(partitions ? partition->stages().bands() : nullptr);
    canvas.setWay(partitions ? partition->why().cycle() : std::vector<fx::NodeId>());
}

/// Quantised layers by their errors, unless times or errors of a verification were chosen.
bool CanvasColours::coloursLayers() const {
    return m_tabs.page() && m_tabs.page()->colours() == DocumentPage::Colours::Kinds && m_panels.quant->isSeen() &&
           m_panels.quant->marks().hasColours();
}

ColourLegend CanvasColours::legend() const {
    if (!m_tabs.page()) return {};
    if (m_panels.partition->colours()) return m_panels.partition->legend();
    switch (m_tabs.page()->colours()) {
    case DocumentPage::Colours::Times: return m_panels.timing->heat().legend();
    case DocumentPage::Colours::Errors: return m_errors.legend();
    case DocumentPage::Colours::Kinds:
        if (coloursLayers()) return m_panels.quant->marks().legend();
        break;
    }
    return {};
}

} // namespace ui
