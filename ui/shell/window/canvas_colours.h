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

/// What the colours of the canvas in front tell: partitions while their panel is seen, else times or errors when they
/// are wanted, else the matches of the pattern while its panel is seen. The other canvases have their plain look.
class CanvasColours final : public QObject {
    Q_OBJECT
public:
    CanvasColours(WindowActions& actions, Panels& panels, PanelDocks& docks, DocumentTabs& tabs, ErrorMap& errors);

    /// Of the canvas in front; empty for the kinds of nodes.
    ColourLegend legend() const;
    /// Another document is in front: its own choice counts.
    void showChoice();
    void show();

Q_SIGNALS:
    /// There is something else to choose from.
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
