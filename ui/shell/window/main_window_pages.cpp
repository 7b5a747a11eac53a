// SPDX-License-Identifier: GPL-3.0-or-later
// A document has a page, and panels turn to the one in front.
#include "ui/shell/window/main_window.h"

#include "core/io/compilation/compilation.h"
#include "core/python/tracing/trace_file.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_source.h"
#include "ui/document/edit_text.h"
#include "ui/document/panel_views.h"
#include "ui/document/random_weights.h"
#include "ui/partition/partition_panel.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/module_drop.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/shell/window/canvas_colours.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/graph_edits.h"
#include "ui/shell/window/node_menus.h"
#include "ui/shell/window/selection_actions.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/failure_box.h"

#include <QJsonDocument>
#include <QStackedWidget>

namespace ui {

void MainWindow::addPage(Document* document) {
    document->picture().setDirection(m_settings.direction());
    if (!document->file().path().isEmpty()) // what panels keep; a project has its own
        document->panelViews().restore(QJsonDocument::fromJson(m_settings.viewOf(document->file().path())).object());
    connect(&document->panelViews(), &PanelViews::changed, this, [this, document] {
        if (!document->file().path().isEmpty())
            m_settings.setViewOf(
                document->file().path(),
                QJsonDocument(viewsOfFile(document->panelViews().all())).toJson(QJsonDocument::Compact));
    });
    m_busy->watch(*document);
    DocumentPage* page = m_tabs->add(document);
    connectPage(page);
    if (document->source() || fx::splitSourcePath(document->file().opened().toStdString())) page->setSourceShown(true);
    else if (m_settings.panel(QStringLiteral("source")) == "shown") page->showSourceIfKnown();
    m_tabs->setCurrentWidget(page);
    m_centre->setCurrentWidget(m_tabs);
    pageChanged(page);
}

/// What concerns this document, whichever is in front.
void MainWindow::connectPage(DocumentPage* page) {
    Document* document = &page->document();
    connect(page, &DocumentPage::sourceToggled, this, [this, page](bool shown) {
        // Python source is always opened with its text; that says nothing of other models.
        const Document& shownIn = page->document();
        if (!shownIn.source() && shownIn.state() == Document::State::Ready)
            m_settings.setPanel(QStringLiteral("source"), shown ? "shown" : "hidden");
        updateActions();
    });
    connect(page, &DocumentPage::openOtherRequested, this, &MainWindow::openDialog);
    connect(page, &DocumentPage::closeRequested, this, [this, document] { closePages({document}); });
    connect(page, &DocumentPage::pythonRequested, this, &MainWindow::traceWithPython);
    connect(page, &DocumentPage::inputsRequested, m_run, &RunCenter::editInputs);
    connect(page, &DocumentPage::contentChanged, this, [this, page] { pageChanged(page); });
    connect(page, &DocumentPage::reloadRequested, this, [this, document] { reload(*document); });
    m_menus->connectPage(*page);
    m_panels->partition->stages().connectCuts(page->canvas(), *document);
    connect(&page->canvas(), &GraphCanvas::nodeActivated, this, [this, document](fx::NodeId node) {
        const bool selected = document->selection().nodes() == std::vector<fx::NodeId>{node};
        if (document == currentDocument() && selected && !nestedGraphs(*document).empty())
            m_nested->openSelected(*document);
    });
    auto* drop = new ModuleDrop(document, &page->canvas());
    connect(drop, &ModuleDrop::told, this, &MainWindow::notify);
    connect(drop, &ModuleDrop::dropped, this, [this, document](const QString& name, const fx::StepList& steps) {
        m_edits->makeNodes(*document, name, steps);
    });
    const auto refuse = [this, document](const fx::Error& error) { m_edits->tellRefusal(*document, error); };
    connect(drop, &ModuleDrop::refused, this, refuse);
    connect(&document->versions(), &DocumentVersions::refused, this, refuse);
    connect(&document->versions(), &DocumentVersions::unchanged, this,
            [this](const QString& name) { notify(tr("%1: nothing changed.").arg(name)); });
    connect(&document->versions(), &DocumentVersions::edited, this, [this, document](const QString& name) {
        if (document == currentDocument()) m_message->show(doneText(name), StatusMessage::Subject::LastEdit);
    });
    connect(
        document, &Document::dumpFound, this,
        [this, document = QPointer(document)](const QString& dump, const QString& stage) {
            if (document) showDump(*document, dump, stage);
        },
        Qt::QueuedConnection); // it may close the document
    connect(&document->randomWeights(), &RandomWeights::changed, this,
            [this, document] { // of the edit in the last message
                const fx::History::Entry& last =
                    document->versions().history()->entries()[document->versions().history()->current()];
                const auto* modules = document->randomWeights().ofEdit(last.model);
                if (document != currentDocument() || !modules || modules->empty()) return;
                if (m_message->isAbout(StatusMessage::Subject::LastEdit))
                    notify(doneText(fromCore(last.name), randomWeightsText(*modules) + u'.'));
            });
    for (auto signal : {&Document::versionChanged, &Document::draftChanged})
        connect(document, signal, page, [this] { m_tabs->showTitles(*m_run); });
    connect(&document->operations(), &DocumentOperations::failed, this,
            [this](const QString& failure, const fx::Error& error) { showFailure(this, failure, error); });
}

void MainWindow::pageChanged(DocumentPage* page) {
    Document& document = page->document();
    if (document.state() == Document::State::Ready && !document.file().opened().isEmpty() &&
        !document.file().isUntitled())
        if (!fx::splitStagePath(document.file().opened().toStdString()))
            m_settings.addRecentFile(document.file().opened());
    if (const DocumentSource* source = document.source()) {
        disconnect(source, &DocumentSource::aboutToTrace, this, nullptr);
        connect(source, &DocumentSource::aboutToTrace, this, [this, source] { noteSource(*source); });
        noteSource(*source);
    }
    if (page == currentPage()) switchPage();
}

/// Calls of the graph that only the source defines run as graphs that are traced from this text.
void MainWindow::noteSource(const DocumentSource& source) {
    m_calls->knows(source.path().toStdString(), source.choices().options(), source.text().toStdString());
}

DocumentPage* MainWindow::currentPage() const { return m_tabs->page(); }

Document* MainWindow::currentDocument() const { return currentPage() ? &currentPage()->document() : nullptr; }

/// Another document is in front, or it shows something else: panels turn to it by themselves.
void MainWindow::switchPage() {
    DocumentPage* page = currentPage();
    Document* document = currentDocument();
    m_centre->setCurrentWidget(page ? static_cast<QWidget*>(m_tabs) : m_welcome);
    if (!page) m_welcome->setRecentFiles(m_settings.recentFiles());
    if (m_current.get() != document) {
        m_message->clear(); // it was about the other one
        m_current.set(document);
        m_panels->legend->setCanvas(page ? &page->canvas() : nullptr);
        m_colours->showChoice();
    }
    if (!m_current.ready()) closeFind();
    showVersion();
}

void MainWindow::closeFind() {
    if (!m_findBar->isVisible()) return;
    m_findBar->hide();
    if (currentPage()) currentPage()->canvas().setFocus();
}

} // namespace ui
