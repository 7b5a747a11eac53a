// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/row_query.h"

namespace ui {

RowQuery::RowQuery(NodeRowsModel* model, QObject* parent) : QObject(parent), m_model(model) {
    connect(model, &NodeRowsModel::sortRequested, this, &RowQuery::sort);
}

void RowQuery::setDocument(Document* document) {
    if (m_document) m_document->release(this);
    m_document = document;
    if (document) connect(&document->facts(), &VersionFacts::indexChanged, this, &RowQuery::start);
    start();
}

void RowQuery::setFilter(const QString& text) {
    m_order.filter.text = text;
    start();
}

void RowQuery::sort(int column, Qt::SortOrder order) {
    m_order.column = column;
    m_order.order = order;
    start();
}

void RowQuery::start() {
    m_task.cancel();
    if (!m_document || !m_document->facts().index()) return; // the model shows all rows until the index is there
    m_task.start([module = m_document->shapes().shown(), index = m_document->facts().index(), order = m_order,
                  key = m_model->sortKey(m_order.column)](
                     const fx::Progress& progress) { return orderedRows(*module, *index, order, key, progress); },
                 this,
                 [this, isPlain = m_order.filter.text.isEmpty() && m_order.column < 0](FindResult result) {
                     // Mostly all in graph order, which it shows already: a reset costs the views a layout.
                     const bool isShown = isPlain && m_model->isWhole();
                     if (result.error.isEmpty() && !isShown && result.nodes != m_model->rows())
                         m_model->setRows(std::move(result.nodes));
                     Q_EMIT applied(result.error);
                 });
}

} // namespace ui
