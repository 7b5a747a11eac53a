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
class QuantPanel;
class ResultHost;
class RunCenter;
class TimingPanel;

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

/// The panels of a window that other parts refer to, as widgets, and the objects from which all panels are created.
/// They subscribe to the document and to runs themselves.
struct Panels {
    CurrentDocument& document; ///< the document in front
    RunCenter& run;            ///< the runs of the documents
    /// Their parent from the start: without one, layouts would fix their minimum size as that of windows.
    QWidget* window;

    ModulesPanel* modules = nullptr; ///< null until `PanelEntry::make` creates the panel
    NodesPanel *nodes = nullptr, *table = nullptr;
    CompilationPanel* compilation = nullptr;
    LegendPanel* legend = nullptr;
    InspectorPanel* inspector = nullptr;
    CodePanel* code = nullptr;
    PatternPanel* pattern = nullptr;
    ChangesPanel* changes = nullptr;
    HistoryPanel* history = nullptr;
    PartitionPanel* partition = nullptr;
    PassesPanel* passes = nullptr;
    PassTextPanel* passText = nullptr;
    QuantPanel* quant = nullptr;
    TimingPanel* timing = nullptr;
    ResultHost *historyHost = nullptr, *verifyHost = nullptr; ///< around two panels
};

/// The description of a panel: its dock, its entry in the View menu and the palette, and its shortcut.
struct PanelEntry {
    Panel panel;
    const char* name;          ///< in saved arrangements of the window
    const char* title;         ///< untranslated
    Qt::DockWidgetArea area;   ///< initial area
    const char* keys;          ///< "Alt+1"; empty: no shortcut
    QWidget* (*make)(Panels&); ///< Creates the panel and sets its pointer, if it has one.
};
std::span<const PanelEntry> panelTable(); ///< The descriptions of all panels, in the order of Panel.

/// Returns the version of arrangements with these panels. It differs if panels have other names or areas, so that a
/// saved arrangement without a new panel is not restored.
int arrangementVersion(std::span<const PanelEntry> panels);

} // namespace ui
