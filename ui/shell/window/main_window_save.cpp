// SPDX-License-Identifier: GPL-3.0-or-later
// What documents are busy with: made elsewhere, connected here. Tabs and the window close when nothing is lost by it.
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/operations/picture_exports.h"
#include "ui/shell/operations/previews.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/saving/closing.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QTabWidget>

namespace ui {

void MainWindow::makeOperations() {
    SaveHost host;
    host.window = this;
    host.documents = [this] { return documents(); };
    host.view = [this](const Document& document) { return pageOf(document)->view(); };
    host.inputs = [this](const Document& document) {
        const RunSession* session = m_run->sessionOf(document);
        return session ? session->inputsToKeep() : std::string();
    };
    host.folder = [this] { return m_settings.lastFolder(); };
    m_saves = new SaveCenter(std::move(host));
    m_exports = new PictureExports(this);
    m_previews = new Previews(*m_run, this);
    m_recipes = new Recipes(this);
    connect(m_saves, &SaveCenter::notified, this, &MainWindow::notify);
    connect(m_saves, &SaveCenter::saved, this, [this](const QString& path) {
        if (!path.endsWith(u'/')) m_settings.addRecentFile(path);
    });
    connect(m_exports, &PictureExports::notified, this, &MainWindow::notify);
    connect(m_recipes, &Recipes::notified, this, &MainWindow::notify);
    connect(m_recipes, &Recipes::stepsRead, m_previews,
            [this](Document& document, const QString& name, const QByteArray& steps) {
                m_previews->preview(document, name, steps);
            });
}

void MainWindow::saveTo(const QString& path) { m_saves->saveTo(*currentDocument(), path); }

/// What it would do is shown before it is done.
void MainWindow::applyRecipe(const QString& path) { m_recipes->read(*currentDocument(), path); }

void MainWindow::reload(Document& document, const QString& modelName) {
    reloadAsking(document, modelName, *m_saves, this);
}

QList<Document*> MainWindow::documents() const {
    QList<Document*> documents;
    for (int i = 0; i < m_tabs->count(); ++i) documents << &static_cast<DocumentPage*>(m_tabs->widget(i))->document();
    return documents;
}

/// Not null for a document that is open.
DocumentPage* MainWindow::pageOf(const Document& document) const {
    for (int i = 0; i < m_tabs->count(); ++i)
        if (auto* page = static_cast<DocumentPage*>(m_tabs->widget(i)); &page->document() == &document) return page;
    return nullptr;
}

Closing* MainWindow::newClosing(const QList<Document*>& documents) {
    auto* closing = new Closing(documents, *m_saves, this);
    connect(closing, &Closing::answerNeeded, this,
            [this](const Document* document) { m_tabs->setCurrentWidget(pageOf(*document)); });
    return closing;
}

void MainWindow::closePages(const QList<Document*>& documents) {
    Closing* closing = newClosing(documents);
    connect(closing, &Closing::finished, this, [this](const QList<Document*>& closable) {
        for (const Document* document : closable)
            if (DocumentPage* page = pageOf(*document)) removePage(page);
    });
    closing->start();
}

void MainWindow::removePage(DocumentPage* page) {
    m_tabs->removeTab(m_tabs->indexOf(page));
    page->deleteLater();
    switchPage();
}

/// True when the window may close now; else it closes itself when everything is saved, if at all.
bool MainWindow::mayQuit() {
    if (std::exchange(m_mayQuit, false)) return true;
    if (m_quitting) {
        m_quitting->raise();
        return false;
    }
    m_quitting = newClosing(documents());
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
    keepSettings();
    QMainWindow::closeEvent(event);
}

/// Somebody may have changed files in another program meanwhile.
void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_tabs) updateTabs(); // their dots have the theme's colours
    if (event->type() != QEvent::ActivationChange || !isActiveWindow()) return;
    for (const Document* document : documents()) pageOf(*document)->diskBar().check();
}

} // namespace ui
