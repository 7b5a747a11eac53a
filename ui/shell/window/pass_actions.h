// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"
#include "ui/shell/window/panels.h"

#include <QObject>
#include <QPointer>

namespace ui {

class Document;
class DocumentTabs;
class OptimiseReport;
class PanelDocks;
class WindowActions;

/// Connects passes to the window: the panel with the text of passes, steps with the canvas of their document, and
/// results with new tabs and reports.
class PassActions final : public QObject {
    Q_OBJECT
public:
    /// The arguments must outlive the object; `window` becomes the parent.
    PassActions(WindowActions& actions, Panels& panels, PanelDocks& docks, DocumentTabs& tabs, QWidget* window);

Q_SIGNALS:
    /// Emitted when a result should open in a new tab.
    void moduleMade(std::shared_ptr<const fx::GraphModule> module, const QString& title, const std::string& inputs);
    void notified(const QString& what); ///< Emitted with messages for the status bar.

private:
    void connectActions();
    void connectPanels();
    void fillMenu();
    void runPass(const QString& name);
    void showStep(Document* document, const std::shared_ptr<const VersionDifference>& difference, const QString& title);
    void showReport(Document* document);
    void showHeat(Document* document, bool after);

    WindowActions& m_actions;
    Panels& m_panels;
    PanelDocks& m_docks;
    DocumentTabs& m_tabs;
    QWidget* m_window;
    QPointer<QWidget> m_over; ///< the canvas that a step covers
};

} // namespace ui
