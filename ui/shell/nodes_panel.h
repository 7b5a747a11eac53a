// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/row_query.h"

#include <QPointer>
#include <QWidget>

class QAbstractItemView;
class QLabel;
class QLineEdit;

namespace ui {

/// Panel with a filter, a count and a view of nodes in rows. It is used by the Nodes tab of the outline and by the
/// Table panel.
class NodesPanel final : public QWidget {
    Q_OBJECT
public:
    /// The kind of view.
    enum class Look { List, Table };
    NodesPanel(Look look, QWidget* parent = nullptr); ///< Creates a panel without a document.

    void setDocument(Document* document);               ///< Shows the nodes of `document`; null clears the panel.
    QAbstractItemView* view() const { return m_view; }  ///< The view of the rows.
    NodeRowsModel* model() const { return m_model; }    ///< The model of the rows.
    QLineEdit* filterField() const { return m_filter; } ///< The field of the filter.
    /// Returns widths and order of the columns for the settings; only for tables.
    QByteArray columnState() const;
    /// Restores the result of `columnState`; ignores invalid data.
    void restoreColumns(const QByteArray& state);
    /// Opens an editor on the name of a node. Returns false if the panel does not have the focus or does not show the
    /// node.
    bool editName(fx::NodeId node);

Q_SIGNALS:
    /// Emitted when a cell was edited.
    void edited(Document* document, fx::NodeId node, NodeRowsModel::Field field, const QString& text);

private:
    void makeList();
    void makeTable();
    void showNodes();
    void followSelection(QObject* source);
    void pick();

    QPointer<Document> m_document;
    NodeRowsModel* m_model;
    RowQuery* m_query;
    QLineEdit* m_filter;
    QLabel* m_count;
    QAbstractItemView* m_view = nullptr;
    bool m_following = false;
};

} // namespace ui
