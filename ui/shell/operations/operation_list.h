// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QHash>
#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace ui {

/// The operations of some documents, one row each: what it is, how far it is, a button that cancels it.
class OperationList final : public QWidget {
    Q_OBJECT
public:
    using Filter = bool (*)(DocumentOperations::Kind);
    /// `filter`: those of these kinds only; null: all.
    explicit OperationList(Filter filter, QWidget* parent = nullptr);
    void setDocuments(const QList<QPointer<Document>>& documents);
    bool isEmpty() const { return m_rows.isEmpty(); }

Q_SIGNALS:
    /// One began or ended.
    void changed();

private:
    class Row;
    void refresh();

    Filter m_filter;
    QList<QPointer<Document>> m_documents;
    QHash<DocumentOperations::Id, Row*> m_rows;
    QVBoxLayout* m_column;
};

} // namespace ui
