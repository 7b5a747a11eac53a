// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/panels.h"

#include "ui/changes/changes_panel.h"
#include "ui/code/code_panel.h"
#include "ui/compilation/compilation_panel.h"
#include "ui/document/current_document.h"
#include "ui/history/history_panel.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/passes/pass_text_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/quant/quant_panel.h"
#include "ui/result/result_host.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_panel.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/problems_panel.h"
#include "ui/timing/timing_panel.h"
#include "ui/values/values_panel.h"

#include <array>
#include <string_view>

namespace ui {

namespace {

/// Makes a panel that shows the document in front, and that no other part refers to.
template<class Type> QWidget* shownAlone(Panels& panels) {
    auto* panel = new Type(panels.window);
    panels.document.subscribe(panel);
    return panel;
}

/// Makes a panel that shows the document in front.
template<auto Member> QWidget* shown(Panels& panels) {
    using Type = std::remove_pointer_t<std::remove_reference_t<decltype(panels.*Member)>>;
    return panels.*Member = static_cast<Type*>(shownAlone<Type>(panels));
}

/// The same for a panel that runs models.
template<auto Member> QWidget* running(Panels& panels) {
    using Type = std::remove_pointer_t<std::remove_reference_t<decltype(panels.*Member)>>;
    panels.*Member = new Type(panels.run, panels.window);
    return panels.*Member;
}

QWidget* nodesPanel(Panels& panels, NodesPanel*& panel, NodesPanel::Look look) {
    panel = new NodesPanel(look, panels.window);
    panels.document.subscribe(panel);
    return panel;
}

QWidget* historyPanel(Panels& panels) {
    shown<&Panels::history>(panels);
    QObject::connect(&panels.run, &RunCenter::sessionChanged, panels.history, &HistoryPanel::setSession);
    return panels.historyHost = new ResultHost(panels.history, panels.window);
}

QWidget* valuesPanel(Panels& panels) {
    auto* values = new ValuesPanel(panels.run.worker(), panels.window);
    QObject::connect(&panels.run, &RunCenter::sessionChanged, values, &ValuesPanel::setSession);
    QObject::connect(values, &ValuesPanel::inputsRequested, &panels.run, &RunCenter::editInputs);
    return values;
}

QWidget* quantPanel(Panels& panels) {
    panels.quant = new QuantPanel(panels.run, panels.window);
    return panels.quant;
}

QWidget* timingPanel(Panels& panels) {
    panels.timing = new TimingPanel(panels.window);
    QObject::connect(panels.timing, &TimingPanel::inputsRequested, &panels.run, &RunCenter::editInputs);
    return panels.timing;
}

constexpr auto kLeft = Qt::LeftDockWidgetArea, kRight = Qt::RightDockWidgetArea, kBelow = Qt::BottomDockWidgetArea;
using Look = NodesPanel::Look;

// Panels that other shortcuts show as well have none of their own.
constexpr std::array kTable{
    PanelEntry{Panel::Modules, "modules", QT_TRANSLATE_NOOP("ui::PanelDocks", "Modules"), kLeft, "Alt+1",
               &shown<&Panels::modules>},
    PanelEntry{Panel::Nodes, "nodes", QT_TRANSLATE_NOOP("ui::PanelDocks", "Nodes"), kLeft, "Alt+2",
               [](Panels& panels) { return nodesPanel(panels, panels.nodes, Look::List); }},
    PanelEntry{Panel::Compilation, "compilation", QT_TRANSLATE_NOOP("ui::PanelDocks", "Compilation"), kLeft, "",
               &shown<&Panels::compilation>},
    PanelEntry{Panel::Legend, "legend", QT_TRANSLATE_NOOP("ui::PanelDocks", "Legend and Map"), kLeft, "Alt+3",
               [](Panels& panels) -> QWidget* { return panels.legend = new LegendPanel(panels.window); }},
    PanelEntry{Panel::Inspector, "inspector", QT_TRANSLATE_NOOP("ui::PanelDocks", "Inspector"), kRight, "Alt+4",
               &shown<&Panels::inspector>},
    PanelEntry{Panel::Code, "code", QT_TRANSLATE_NOOP("ui::PanelDocks", "Code"), kBelow, "Alt+5",
               &shown<&Panels::code>},
    PanelEntry{Panel::Table, "table", QT_TRANSLATE_NOOP("ui::PanelDocks", "Table"), kBelow, "Alt+6",
               [](Panels& panels) { return nodesPanel(panels, panels.table, Look::Table); }},
    PanelEntry{Panel::Problems, "problems", QT_TRANSLATE_NOOP("ui::PanelDocks", "Problems"), kBelow, "Alt+7",
               &shownAlone<ProblemsPanel>},
    PanelEntry{Panel::Pattern, "pattern", QT_TRANSLATE_NOOP("ui::PanelDocks", "Pattern"), kRight, "Alt+8",
               &shown<&Panels::pattern>},
    PanelEntry{Panel::Partition, "partition", QT_TRANSLATE_NOOP("ui::PanelDocks", "Partition"), kRight, "",
               &shown<&Panels::partition>},
    PanelEntry{Panel::Passes, "passes", QT_TRANSLATE_NOOP("ui::PanelDocks", "Passes"), kRight, "",
               &running<&Panels::passes>},
    PanelEntry{Panel::Quantise, "quantise", QT_TRANSLATE_NOOP("ui::PanelDocks", "Quantise"), kRight, "", &quantPanel},
    PanelEntry{Panel::Changes, "changes", QT_TRANSLATE_NOOP("ui::PanelDocks", "Changes"), kRight, "Alt+9",
               &shown<&Panels::changes>},
    PanelEntry{Panel::History, "history", QT_TRANSLATE_NOOP("ui::PanelDocks", "History"), kRight, "Alt+0",
               &historyPanel},
    PanelEntry{Panel::Verify, "verify", QT_TRANSLATE_NOOP("ui::PanelDocks", "Verify"), kBelow, "",
               [](Panels& panels) -> QWidget* {
                   return panels.verifyHost = new ResultHost(panels.run.verifyPanel(), panels.window);
               }},
    PanelEntry{Panel::Timing, "timing", QT_TRANSLATE_NOOP("ui::PanelDocks", "Timing"), kBelow, "", &timingPanel},
    PanelEntry{Panel::Values, "values", QT_TRANSLATE_NOOP("ui::PanelDocks", "Values"), kBelow, "", &valuesPanel},
    PanelEntry{Panel::PassText, "passText", QT_TRANSLATE_NOOP("ui::PanelDocks", "Pass Text"), kBelow, "",
               &running<&Panels::passText>},
};

constexpr bool isInOrder() {
    for (std::size_t i = 0; i < kTable.size(); ++i)
        if (kTable[i].panel != static_cast<Panel>(i)) return false;
    return true;
}
static_assert(isInOrder(), "the entries of kTable must be in the order of the enum Panel, which indexes them");

} // namespace

std::span<const PanelEntry> panelTable() { return kTable; }

int arrangementVersion(std::span<const PanelEntry> panels) {
    std::uint32_t hash = 2166136261; // FNV-1a
    const auto add = [&hash](std::uint32_t byte) { hash = (hash ^ byte) * 16777619; };
    for (const PanelEntry& entry : panels) {
        for (const char letter : std::string_view(entry.name)) add(static_cast<unsigned char>(letter));
        add(static_cast<std::uint32_t>(entry.area)); // fewer than a letter: also ends the name
    }
    return static_cast<int>(hash);
}

} // namespace ui
