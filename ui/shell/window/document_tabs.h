// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/document_page.h"

#include <QTabWidget>

class QMenu;

namespace ui {

class RunCenter;

/// The open documents as tabs. A tab says what its document is, that it has unsaved changes, and a verdict that needs a
/// look.
class DocumentTabs final : public QTabWidget {
    Q_OBJECT
public:
    explicit DocumentTabs(QWidget* parent = nullptr);

    /// The page in front, or null.
    DocumentPage* page() const { return static_cast<DocumentPage*>(currentWidget()); }
    QList<DocumentPage*> pages() const;
    QList<Document*> documents() const;
    /// Null for a document that is not open.
    DocumentPage* pageOf(const Document& document) const;
    /// The page of a file that is open, or null.
    DocumentPage* pageOf(const QString& path) const;
    /// A page for a document, in front.
    DocumentPage* add(Document* document);
    void remove(DocumentPage* page);
    /// By `steps` to the right, around.
    void step(int steps);
    void showTitles(const RunCenter& run);

Q_SIGNALS:
    void closeRequested(const QList<Document*>& documents);

protected:
    bool event(QEvent* event) override;
    void tabInserted(int index) override;
    void tabRemoved(int index) override;

private:
    void makeList();
    void showList();
    void showMenu(const QPoint& at);

    QMenu* m_list = nullptr;
    QWidget* m_listButton = nullptr;
};

/// A name may contain "&", which tabs and menus would take as a mnemonic.
QString withoutMnemonics(QString name);

} // namespace ui
