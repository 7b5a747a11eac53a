// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QAction>
#include <QFrame>
#include <QPointer>

class QLabel;
class QLineEdit;
class QListView;

namespace ui {

/// Scores how well the letters of `query` occur in `text` in order, each at the start of a word or right after the
/// previous one. Word starts score higher; -1 if the letters do not occur.
int fuzzyScore(QStringView query, QStringView text);

/// Rows of the palette: matching actions, best first, then nodes.
class PaletteModel final : public QAbstractListModel {
    Q_OBJECT
public:
    /// Roles besides Qt's.
    enum Role { DetailRole = Qt::UserRole + 1, OpRole };
    /// An action or a node.
    struct Row {
        QPointer<QAction> action;
        fx::NodeId node = fx::kNoNode;
        QString text, detail;
        int op = -1; ///< the kind of the node; -1 for actions
    };
    using QAbstractListModel::QAbstractListModel;

    void setRows(std::vector<Row> rows);                                           ///< Replaces all rows.
    const Row& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; } ///< The content of a row.
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    std::vector<Row> m_rows;
};

/// Popup on Ctrl+Shift+P: one field that finds every menu action and every node of the document. Enter runs the action
/// or goes to the node.
class CommandPalette final : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window); ///< Creates a hidden palette in `window`.

    /// Opens in the upper middle of the window. `document` may be null.
    void open(const QList<QAction*>& actions, Document* document);
    QLineEdit* field() const { return m_field; }  ///< The search field.
    QListView* list() const { return m_list; }    ///< The found rows.
    QLabel* nothing() const { return m_nothing; } ///< The label that is shown if nothing is found.

Q_SIGNALS:
    /// Emitted before a chosen action runs, so that its context can be shown first.
    void aboutToTrigger(QAction* action);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search();
    void showRows(const std::vector<fx::NodeId>& nodes);
    void fit();
    void choose();

    QList<QPointer<QAction>> m_actions;
    QPointer<Document> m_document;
    QLineEdit* m_field;
    QListView* m_list;
    QLabel* m_nothing;
    PaletteModel* m_model;
    QPointer<QWidget> m_before; ///< the widget that had the focus
    TaskSlot<FindResult> m_task{"palette.search"};
};

} // namespace ui
