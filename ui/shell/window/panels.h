// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <Qt>

#include <span>

class QWidget;

namespace ui {

class ChangesPanel;
class CodePanel;
class CompilationPanel;
class CurrentDocument;
class HistoryPanel;
class InspectorPanel;
class LegendPanel;
class ModulesPanel;
class NodesPanel;
class PartitionPanel;
class PassesPanel;
class PassTextPanel;
class PatternPanel;
class ProblemsPanel;
class QuantPanel;
class ResultHost;
class RunCenter;
class TimingPanel;
class ValuesPanel;

/// The panels of a window, in the order of `panelTable`.
enum class Panel {
    Modules,
    Nodes,
    Compilation,
    Legend,
    Inspector,
    Code,
    Table,
    Problems,
    Pattern,
    Partition,
    Passes,
    Quantise,
    Changes,
    History,
    Verify,
    Timing,
    Values,
    PassText
};

/// The panels of a window as widgets, and what they are made from. They subscribe to the document and to runs
/// themselves.
struct Panels {
    CurrentDocument& document;
    RunCenter& run;
    QWidget* window; ///< their parent from the beginning: as windows of their own, layouts would fix their least size

    ModulesPanel* modules = nullptr;
    NodesPanel *nodes = nullptr, *table = nullptr;
    CompilationPanel* compilation = nullptr;
    LegendPanel* legend = nullptr;
    InspectorPanel* inspector = nullptr;
    CodePanel* code = nullptr;
    ProblemsPanel* problems = nullptr;
    PatternPanel* pattern = nullptr;
    ChangesPanel* changes = nullptr;
    HistoryPanel* history = nullptr;
    PartitionPanel* partition = nullptr;
    PassesPanel* passes = nullptr;
    PassTextPanel* passText = nullptr;
    QuantPanel* quant = nullptr;
    TimingPanel* timing = nullptr;
    ValuesPanel* values = nullptr;
    ResultHost *historyHost = nullptr, *verifyHost = nullptr; ///< around two panels
};

/// What a dock, its entry in the View menu and in the palette, and its shortcut are made from.
struct PanelEntry {
    Panel panel;
    const char* name; ///< in saved arrangements of the window
    const char* title;
    Qt::DockWidgetArea area;
    const char* keys;          ///< "Alt+1"; empty: none
    QWidget* (*make)(Panels&); ///< sets the panel's pointer
};
std::span<const PanelEntry> panelTable();

} // namespace ui
