// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/document_page.h"

#include <QTabWidget>

class QMenu;

namespace ui {

class RunCenter;

/// The open documents as tabs. A tab shows the title, a mark for unsaved changes, and a mark for a verdict that needs
/// attention.
class DocumentTabs final : public QTabWidget {
    Q_OBJECT
public:
    explicit DocumentTabs(QWidget* parent = nullptr); ///< Creates an empty tab widget.

    /// The page in front, or null.
    DocumentPage* page() const { return static_cast<DocumentPage*>(currentWidget()); }
    QList<DocumentPage*> pages() const; ///< All pages, in the order of the tabs.
    QList<Document*> documents() const; ///< All documents, in the order of the tabs.
    /// The page of a document, or null if it is not open.
    DocumentPage* pageOf(const Document& document) const;
    /// The page of an open file, or null.
    DocumentPage* pageOf(const QString& path) const;
    /// Adds a page for a document, which it owns, and brings it to the front.
    DocumentPage* add(Document* document);
    void remove(DocumentPage* page); ///< Removes and deletes a page.
    /// Moves by `steps` tabs to the right, wrapping around.
    void step(int steps);
    QString untitledTitle() const;         ///< Returns the first of "Untitled", "Untitled 2" and so on that no tab has.
    void showTitles(const RunCenter& run); ///< Updates titles and marks of all tabs.

Q_SIGNALS:
    void closeRequested(const QList<Document*>& documents); ///< Emitted when the user closes tabs.

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

/// Escapes "&" in a name, which tabs and menus would interpret as a mnemonic.
QString withoutMnemonics(QString name);

} // namespace ui
