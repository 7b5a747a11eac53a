// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QHash>
#include <QPointer>
#include <QWidget>

class QVBoxLayout;

namespace ui {

/// List of the operations of some documents, one row each: label, progress, and a Cancel button.
class OperationList final : public QWidget {
    Q_OBJECT
public:
    using Filter = bool (*)(DocumentOperations::Kind); ///< true for kinds to list
    /// `filter` selects kinds; null: all.
    explicit OperationList(Filter filter, QWidget* parent = nullptr);
    /// Lists the operations of these documents.
    void setDocuments(const QList<QPointer<Document>>& documents);
    bool isEmpty() const { return m_rows.isEmpty(); } ///< True if no operation is listed.

Q_SIGNALS:
    /// Emitted when an operation begins or ends.
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
