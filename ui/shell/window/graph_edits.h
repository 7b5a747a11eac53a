// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/document/node_rows_model.h"
#include "ui/edit/call_dialog.h"

namespace ui {

class Previews;
class Settings;

/// Changes of documents that the window offers: dialogs ask what has to be asked; each change is steps of the engine,
/// can be undone, and is refused in words.
class GraphEdits final : public QObject {
    Q_OBJECT
public:
    /// `settings` and `previews` must outlive it.
    GraphEdits(Settings& settings, Previews& previews, QWidget* window);

    /// At the selected nodes.
    void insertOrChange(Document& document, CallDialog::Task task);
    /// A call between a node and one of its users.
    void insertBetween(Document& document, fx::NodeId from, fx::NodeId to);
    /// Applies steps and selects what they create. Asks before very large weights are made.
    void makeNodes(Document& document, const QString& name, const QByteArray& steps);
    /// The user uses `from` in the place of `input`.
    void connectNodes(Document& document, fx::NodeId from, fx::NodeId user, fx::NodeId input);
    /// What leaves no choice is erased at once; else a dialog asks what the users of the nodes get.
    void eraseSelected(Document& document);
    void removeUnused(Document& document);
    /// Puts the graph of the selected module into this one.
    void expandModule(Document& document);
    void rename(Document& document, const QString& old, const QString& name);
    /// What was typed into a cell of a list or table.
    void changeCell(Document& document, fx::NodeId node, NodeRowsModel::Field field, const QString& text);
    /// `place`: index or name of the argument.
    void changeArgument(Document& document, fx::NodeId node, const QString& place, const QString& text);
    void changeSetting(Document& document, const QString& modulePath, const QString& name, const QString& text);
    /// Says why a document was not changed.
    void tellRefusal(const Document& document, const fx::Error& error) const;

Q_SIGNALS:
    void notified(const QString& what);

private:
    void open(Document& document, CallDialog* dialog);
    void change(Document& document, const QString& name, const QByteArray& steps, std::function<void()> onDone);
    void changeInPlace(Document& document, const QString& name, const std::function<QByteArray()>& steps);
    void erase(Document& document, const QString& name, const QByteArray& steps);

    Settings& m_settings;
    Previews& m_previews;
    QWidget* m_window;
};

} // namespace ui
