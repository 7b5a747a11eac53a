// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that were brought back get a tab.
#include "ui/code/code_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/window/main_window.h"

#include <QTabWidget>
#include <QVBoxLayout>

namespace ui {

void MainWindow::offerRecovery(const QString& folder) {
    if (m_recovery) return;
    m_recovery = new RecoveryBar(folder, centralWidget());
    static_cast<QVBoxLayout*>(centralWidget()->layout())->insertWidget(0, m_recovery);
    connect(m_recovery, &RecoveryBar::restored, this, &MainWindow::openRecovered);
    m_recovery->look();
    m_clipboard->removeUnused(folder);
}

/// In the tab of the file when nothing was done in it, else in a new one.
void MainWindow::openRecovered(const std::shared_ptr<fx::OrphanedJournal>& journal,
                               const std::shared_ptr<fx::RecoveredModel>& model) {
    const QString path = QString::fromStdString(journal->base().path);
    Document* document = nullptr;
    for (int i = 0; i < m_tabs->count(); ++i) {
        Document& open = static_cast<DocumentPage*>(m_tabs->widget(i))->document();
        if (open.path() != path || open.isModified()) continue;
        m_tabs->setCurrentIndex(i);
        document = &open;
        break;
    }
    if (!document) addPage(document = new Document(path, this));
    document->restore(*journal, std::move(*model));
    if (document->draft()) m_code->setDocument(nullptr), m_code->setDocument(document); // with what was typed
    const QString recovered = document->draft() ? tr("Recovered the unapplied code of %1.") : tr("Recovered %1.");
    const bool undoes = document->history()->canUndo();
    notify(recovered.arg(document->title()) +
           (undoes ? u' ' + tr("Press Ctrl+Z to undo its edits one by one.") : QString()));
}

void MainWindow::endDocuments() {
    for (int i = 0; i < m_tabs->count(); ++i) static_cast<DocumentPage*>(m_tabs->widget(i))->document().endJournal();
}

} // namespace ui
