// SPDX-License-Identifier: GPL-3.0-or-later
// Documents are written, reloaded and closed when nothing is lost by it.
#include "ui/shell/window/main_window.h"

#include "ui/passes/pass_text_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/saving/closing.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/graph_edits.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window/picture_actions.h"
#include "ui/timing/timing_panel.h"
#include "ui/widgets/in_place_field.h"

namespace ui {

void MainWindow::exportFile(const QString& path, ExportKind kind) { m_pictures->write(path, kind); }

void MainWindow::saveTo(const QString& path) {
    InPlaceField::commitAll(*this);
    m_saves->saveTo(*currentDocument(), path);
}

/// What it would do is shown before it is done.
void MainWindow::applyRecipe(const QString& path) { m_recipes->read(*currentDocument(), path); }

void MainWindow::renameNode(const QString& old, const QString& name) { m_edits->rename(*currentDocument(), old, name); }

void MainWindow::reload(Document& document, const QString& modelName) {
    InPlaceField::commitAll(*this);
    const DocumentPage* page = m_tabs->pageOf(document);
    const bool isOutdated = page && page->diskBar().isOutdated();
    const Reopen reopen = [this](const QString& path) { openFile(path); };
    reloadAsking(document, modelName, isOutdated ? reopen : Reopen(), *m_saves, this);
}

Closing* MainWindow::newClosing(const QList<Document*>& documents) {
    InPlaceField::commitAll(*this);
    auto* closing = new Closing(documents, *m_saves, this);
    connect(closing, &Closing::answerNeeded, this,
            [this](const Document* document) { m_tabs->setCurrentWidget(m_tabs->pageOf(*document)); });
    return closing;
}

void MainWindow::closePages(const QList<Document*>& documents) {
    Closing* closing = newClosing(documents);
    connect(closing, &Closing::finished, this, [this](const QList<Document*>& closable) {
        for (const Document* document : closable)
            if (DocumentPage* page = m_tabs->pageOf(*document)) m_tabs->remove(page);
        switchPage();
    });
    closing->start();
}

/// True when the window may close now; else it closes itself when everything is saved, if at all.
bool MainWindow::mayQuit() {
    if (std::exchange(m_mayQuit, false)) return true;
    if (m_quitting) {
        m_quitting->raise();
        return false;
    }
    m_quitting = newClosing(m_tabs->documents());
    connect(m_quitting, &Closing::finished, this, [this](const QList<Document*>&, bool all) {
        m_mayQuit = all;
        m_quitting.clear();
    });
    m_quitting->start();
    if (m_quitting) // it waits
        connect(
            m_quitting, &Closing::finished, this,
            [this] {
                if (m_mayQuit) close();
            },
            Qt::QueuedConnection);
    return std::exchange(m_mayQuit, false);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!mayQuit()) return event->ignore();
    m_panels->pattern->keepChoices();
    m_panels->passText->keep();
    m_settings.setWindow(saveGeometry(), m_docks->state());
    m_settings.setPanel(QStringLiteral("timing"), m_panels->timing->remembered());
    m_settings.setTableColumns(m_panels->table->columnState());
    QMainWindow::closeEvent(event);
}

void MainWindow::leaveDocuments() {
    for (Document* document : m_tabs->documents()) document->leaveJournal();
}

void MainWindow::endDocuments() {
    for (Document* document : m_tabs->documents()) document->journal().end();
}

/// Somebody may have changed files in another program meanwhile.
void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_tabs) m_tabs->showTitles(*m_run); // dots in the theme's colours
    if (event->type() != QEvent::ActivationChange || !isActiveWindow()) return;
    for (const DocumentPage* page : m_tabs->pages()) page->diskBar().check();
}

} // namespace ui
