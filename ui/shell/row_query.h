// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/document/node_rows_model.h"

#include <QPointer>

namespace ui {

/// Updates the rows of a NodeRowsModel when its view requests it: filters and sorts off the GUI thread.
class RowQuery final : public QObject {
    Q_OBJECT
public:
    RowQuery(NodeRowsModel* model, QObject* parent); ///< `model` must outlive the query.

    void setDocument(Document* document);       ///< Sets the document whose nodes are shown; null: none.
    void setFilter(const QString& text);        ///< Filters the rows; see FindQuery for the syntax.
    void sort(int column, Qt::SortOrder order); ///< Sorts the rows by a column; -1: graph order.

Q_SIGNALS:
    /// Emitted when the rows match the last filter. `error` is the reason why the filter is invalid, else empty.
    void applied(const QString& error);

private:
    void start();

    QPointer<Document> m_document;
    NodeRowsModel* m_model;
    RowOrder m_order;
    TaskSlot<FindResult> m_task{"nodes.rows"};
};

} // namespace ui
