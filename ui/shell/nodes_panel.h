// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/row_query.h"

#include <QPointer>
#include <QWidget>

class QAbstractItemView;
class QLabel;
class QLineEdit;

namespace ui {

/// Filter, count and a view of nodes in rows; used by the Nodes tab of the outline and the Table panel.
class NodesPanel final : public QWidget {
    Q_OBJECT
public:
    enum class Look { List, Table };
    NodesPanel(Look look, QWidget* parent = nullptr);

    void setDocument(Document* document);
    QAbstractItemView* view() const { return m_view; }
    NodeRowsModel* model() const { return m_model; }
    QLineEdit* filterField() const { return m_filter; }
    /// Widths and order of the columns, for the settings; only for tables.
    QByteArray columnState() const;
    void restoreColumns(const QByteArray& state);
    /// Opens an editor on the name of a node. Returns false if the panel does not have the focus or does not show the
    /// node.
    bool editName(fx::NodeId node);

Q_SIGNALS:
    /// A cell was edited.
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
