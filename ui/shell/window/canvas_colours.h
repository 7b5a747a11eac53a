// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/colour_legend.h"
#include "ui/shell/document_page.h"

namespace ui {

class DocumentTabs;
class ErrorMap;
class PanelDocks;
class WindowActions;
struct Panels;

/// Selects the meaning of the node colours on the canvas in front: partitions while their panel is visible, else times
/// or errors if chosen, else the errors of quantised layers or the matches of the pattern while the panel is visible.
/// Other canvases have their plain look.
class CanvasColours final : public QObject {
    Q_OBJECT
public:
    /// The parts must outlive the object; `tabs` becomes the parent.
    CanvasColours(WindowActions& actions, Panels& panels, PanelDocks& docks, DocumentTabs& tabs, ErrorMap& errors);

    /// Returns the legend of the canvas in front; empty for the kinds of nodes.
    ColourLegend legend() const;
    /// Applies the choice of the document in front.
    void showChoice();
    void show(); ///< Updates all canvases and the legend.

Q_SIGNALS:
    /// Emitted when other meanings are available.
    void choicesChanged();

private:
    void choose(DocumentPage::Colours colours, bool chosen);
    void paint(DocumentPage& page, bool front);
    bool coloursLayers() const;

    WindowActions& m_actions;
    Panels& m_panels;
    PanelDocks& m_docks;
    DocumentTabs& m_tabs;
    ErrorMap& m_errors;
};

} // namespace ui
