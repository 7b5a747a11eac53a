// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/operation_list.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

class OperationList::Row final : public QWidget {
public:
    Row(DocumentOperations& operations, DocumentOperations::Id id, QWidget* parent)
        : QWidget(parent), m_label(new QLabel(this)), m_bar(new QProgressBar(this)) {
        m_label->setTextFormat(Qt::PlainText);
        m_bar->setFixedSize(140, 6);
        m_bar->setTextVisible(false);
        m_bar->setAccessibleName(OperationList::tr("Progress"));
        auto* cancel = new QToolButton(this);
        cancel->setText(OperationList::tr("Cancel"));
        QObject::connect(cancel, &QToolButton::clicked, &operations,
                         [operations = &operations, id] { operations->cancel(id); });
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(10);
        row->addWidget(m_label, 1);
        row->addWidget(m_bar);
        row->addWidget(cancel);
    }
    void tell(const DocumentOperations::Operation& operation) {
        m_label->setText(operation.asks ? OperationList::tr("%1: waiting for an answer in its tab").arg(operation.label)
                         : operation.waits ? OperationList::tr("%1: waiting for the worker").arg(operation.label)
                                           : operation.label);
        m_label->setToolTip(operation.what);
        m_bar->setRange(0, operation.done > 0 ? 1000 : 0);
        m_bar->setValue(static_cast<int>(operation.done * 1000));
    }

private:
    QLabel* m_label;
    QProgressBar* m_bar;
};

OperationList::OperationList(Filter filter, QWidget* parent)
    : QWidget(parent), m_filter(filter), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(8);
}

void OperationList::setDocuments(const QList<QPointer<Document>>& documents) {
    for (const auto& document : std::as_const(m_documents))
        if (document) document->operations().disconnect(this);
    m_documents = documents;
    for (const auto& document : documents)
        if (document) connect(&document->operations(), &DocumentOperations::changed, this, &OperationList::refresh);
    refresh();
}

void OperationList::refresh() {
    QHash<DocumentOperations::Id, Row*> before = std::exchange(m_rows, {});
    bool any = false;
    for (const auto& document : std::as_const(m_documents)) {
        if (!document) continue;
        for (const auto& each : document->operations().running()) {
            if (m_filter && !m_filter(each.kind)) continue;
            Row* row = before.take(each.id);
            if (!row) m_column->addWidget(row = new Row(document->operations(), each.id, this)), any = true;
            row->tell(each);
            m_rows.insert(each.id, row);
        }
    }
    for (Row* row : std::as_const(before)) {
        row->hide();
        row->deleteLater(); // its own button may be what ended it
    }
    if (!before.isEmpty()) window()->adjustSize();
    if (any || !before.isEmpty()) Q_EMIT changed();
}

} // namespace ui
