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

/// Connects passes to the window: the panel and the text of passes with each other, steps with the canvas of their
/// document, and what is found with new tabs and reports.
class PassActions final : public QObject {
    Q_OBJECT
public:
    PassActions(WindowActions& actions, Panels& panels, PanelDocks& docks, DocumentTabs& tabs, QWidget* window);

Q_SIGNALS:
    void moduleMade(std::shared_ptr<const fx::GraphModule> module, const QString& title, const std::string& inputs);
    void notified(const QString& what);

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
    QPointer<QWidget> m_over; ///< the canvas under a step
};

} // namespace ui
