// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/document/node_rows_model.h"
#include "ui/edit/call_dialog.h"

namespace ui {

class Previews;
class Settings;

/// The edits that the window offers: dialogs ask the necessary questions. Each edit consists of steps of the engine,
/// can be undone, and is refused with an explanation.
class GraphEdits final : public QObject {
    Q_OBJECT
public:
    /// `settings` and `previews` must outlive the object.
    GraphEdits(Settings& settings, Previews& previews, QWidget* window);

    /// Opens the dialog of `task` for the selected nodes.
    void insertOrChange(Document& document, CallDialog::Task task);
    /// Inserts a call between a node and one of its users.
    void insertBetween(Document& document, fx::NodeId from, fx::NodeId to);
    /// Applies steps and selects the nodes that they create. Asks before it creates very large weights.
    void makeNodes(Document& document, const QString& name, const fx::StepList& steps);
    /// Makes `user` use `from` instead of `input`.
    void connectNodes(Document& document, fx::NodeId from, fx::NodeId user, fx::NodeId input);
    /// Erases the selected nodes. Opens a dialog only if there is a choice what their users take instead.
    void eraseSelected(Document& document);
    /// Removes dead nodes, and warns about writes in place that are lost.
    void removeUnused(Document& document);
    /// Inlines the graph of the selected module.
    void expandModule(Document& document);
    void rename(Document& document, const QString& old, const QString& name); ///< Renames a node.
    /// Applies text that was typed into a cell of a list or table.
    void changeCell(Document& document, fx::NodeId node, NodeRowsModel::Field field, const QString& text);
    /// Changes one argument of a node; `place` is its index or name.
    void changeArgument(Document& document, fx::NodeId node, const QString& place, const QString& text);
    /// Changes a constructor setting of a module.
    void changeSetting(Document& document, const QString& modulePath, const QString& name, const QString& text);
    /// Explains why a document was not changed, in a message box.
    void tellRefusal(const Document& document, const fx::Error& error) const;

Q_SIGNALS:
    void notified(const QString& what); ///< Emitted with messages for the status bar.

private:
    void open(Document& document, CallDialog* dialog);
    void change(Document& document, const QString& name, const fx::StepList& steps, std::function<void()> onDone);
    void changeInPlace(Document& document, const QString& name, const std::function<fx::StepList()>& steps);
    void erase(Document& document, const QString& name, const fx::StepList& steps);

    Settings& m_settings;
    Previews& m_previews;
    QWidget* m_window;
};

} // namespace ui
