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
    /// `writing`: those that write a file only.
    explicit OperationList(bool writing, QWidget* parent = nullptr);
    void setDocuments(const QList<QPointer<Document>>& documents);

private:
    class Row;
    void refresh();

    bool m_writing;
    QList<QPointer<Document>> m_documents;
    QHash<DocumentOperations::Id, Row*> m_rows;
    QVBoxLayout* m_column;
};

} // namespace ui
