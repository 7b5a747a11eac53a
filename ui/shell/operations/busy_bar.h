// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QPointer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace ui {

class OperationList;

/// Status bar widget with the newest operation of the document in front: its label, progress, and a Cancel button.
/// Another button counts further operations, here and in other tabs, and lists all of them. It appears only if an
/// operation takes a while.
class BusyBar final : public QWidget {
    Q_OBJECT
public:
    explicit BusyBar(QWidget* parent = nullptr); ///< Creates a hidden bar.

    /// Adds an open document. It is removed when it is destroyed.
    void watch(Document& document);
    /// Sets the document in front, or null.
    void setDocument(Document* document);
    QToolButton* cancelButton() const { return m_cancel; } ///< Cancels the newest operation.
    QToolButton* moreButton() const { return m_more; }     ///< Lists all operations.
    QString text() const;                                  ///< The label of the newest operation.

private:
    void refresh();
    void showNewest(const DocumentOperations::Operation& operation);
    void openList();

    QPointer<Document> m_front;
    QList<QPointer<Document>> m_documents;
    QLabel* m_what;
    QProgressBar* m_done;
    QToolButton *m_cancel, *m_more;
    QTimer m_patience{this};
};

} // namespace ui
