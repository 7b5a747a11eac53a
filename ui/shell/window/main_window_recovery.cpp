// SPDX-License-Identifier: GPL-3.0-or-later
// Edits that were brought back get a tab.
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
    notify(tr("Restored the edits of %1. Press Ctrl+Z to undo them one by one.").arg(document->title()));
}

} // namespace ui
