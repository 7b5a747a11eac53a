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

/// What the document in front is busy with, in the status bar: its newest operation, how far it is, and a button that
/// cancels it; how many more there are, and how many in other tabs, on a button that lists all of them. Seen only when
/// something lasts.
class BusyBar final : public QWidget {
    Q_OBJECT
public:
    explicit BusyBar(QWidget* parent = nullptr);

    /// A document that is open; it is forgotten when it goes.
    void watch(Document& document);
    /// The one in front, or null.
    void setDocument(Document* document);
    QToolButton* cancelButton() const { return m_cancel; }
    QToolButton* moreButton() const { return m_more; }
    QString text() const;

private:
    void refresh();
    void showNewest(const DocumentOperations::Operation& operation);
    void openList();

    QPointer<Document> m_front;
    QList<QPointer<Document>> m_documents;
    QLabel* m_what;
    QProgressBar* m_done;
    QToolButton *m_cancel, *m_more;
    QTimer m_patience;
};

} // namespace ui
