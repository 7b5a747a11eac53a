// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/shell/window/panels.h"

class QAbstractItemView;
class QMenu;
class QPoint;

namespace ui {

class CurrentDocument;
class DocumentPage;
class GraphCanvas;
class GraphEdits;
class WindowActions;

/// Menus and in-place editors for nodes on the canvas, in lists and in the inspector.
class NodeMenus final : public QObject {
    Q_OBJECT
public:
    /// The arguments must outlive the object; `window` becomes the parent.
    NodeMenus(WindowActions& actions, Panels& panels, GraphEdits& edits, QWidget* window);

    /// Connects the canvas of a page.
    void connectPage(DocumentPage& page);
    /// Opens an editor for the name of the selected node where the keyboard focus is: in a list or table, or on the
    /// canvas of `page`.
    void renameSelected(DocumentPage& page);

Q_SIGNALS:
    /// Emitted when the user sets a module to training or evaluation mode.
    void modeRequested(Document& document, const QString& module, bool training);

private:
    void connectRows(QAbstractItemView* view);
    void connectFields();
    void showMenu(const QPoint& position);
    void addMode(QMenu& menu, Document& document, const QString& module, bool training);
    void showGroupMenu(Document& document, GraphCanvas& canvas, const QPoint& position, const QString& group);
    void showBackgroundMenu(const QPoint& position);
    void showEdgeMenu(Document& document, const QPoint& position, fx::NodeId from, fx::NodeId to);
    void askInput(Document& document, const QPoint& position, fx::NodeId from, fx::NodeId to);
    void renameOnCanvas(DocumentPage& page, fx::NodeId node);

    WindowActions& m_actions;
    Panels& m_panels;
    GraphEdits& m_edits;
    QWidget* m_window;
};

} // namespace ui
