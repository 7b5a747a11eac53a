// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/document/node_rows_model.h"

#include <QPointer>

namespace ui {

/// Updates the rows of a NodeRowsModel as requested by its view: filters and sorts off the GUI thread.
class RowQuery final : public QObject {
    Q_OBJECT
public:
    RowQuery(NodeRowsModel* model, QObject* parent);

    void setDocument(Document* document);
    void setFilter(const QString& text);
    void sort(int column, Qt::SortOrder order);

Q_SIGNALS:
    /// The rows match the last filter; `error`: why the filter is invalid.
    void applied(const QString& error);

private:
    void start();

    QPointer<Document> m_document;
    NodeRowsModel* m_model;
    RowOrder m_order;
    TaskSlot<FindResult> m_task{"nodes.rows"};
};

} // namespace ui
