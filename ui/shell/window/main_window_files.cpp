// SPDX-License-Identifier: GPL-3.0-or-later
// Documents come and go: they are opened, recovered, reloaded and closed when nothing is lost by it.
#include "ui/shell/window/main_window.h"

#include "core/io/compilation/compilation.h"
#include "core/python/trace_file.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_panel.h"
#include "ui/compilation/compilation_panel.h"
#include "ui/document/document_source.h"
#include "ui/partition/partition_panel.h"
#include "ui/passes/pass_text_panel.h"
#include "ui/passes/passes_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/module_drop.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/operations/failure_box.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/closing.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/shell/window/canvas_colours.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/graph_edits.h"
#include "ui/shell/window/node_menus.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window/picture_actions.h"
#include "ui/shell/window/selection_actions.h"
#include "ui/source/new_source.h"
#include "ui/source/trace_dialog.h"
#include "ui/timing/timing_panel.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/in_place_field.h"

#include <QDragEnterEvent>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

namespace ui {

namespace {
/// Which of the two a .json file is, its beginning says.
bool isRecipe(const QString& path) {
    QFile file(path);
    return path.endsWith(QLatin1String(".json")) && file.open(QIODevice::ReadOnly) &&
           file.read(4096).contains("\"lancet_recipe\"");
}
} // namespace

void MainWindow::openDialog() {
    FileDialog dialog(this, tr("Open Models"), m_settings.lastFolder(),
                      tr("Models (*.pt *.pt2 *.pth *.json *.py *.ts *.lancet);;All files (*)"));
    dialog.setFileMode(QFileDialog::ExistingFiles);
    dialog.offerFolder(tr("Open as Model Folder"));
    for (const QString& file : dialog.taken()) openFile(file);
}

void MainWindow::openFile(const QString& path) {
    const QString full = QFileInfo(path).absoluteFilePath();
    if (DocumentPage* open = m_tabs->pageOf(full)) return m_tabs->setCurrentWidget(open);
    m_settings.setLastFolder(QFileInfo(full).path());
    if (openDump(full)) return;
    auto* document = new Document(full, this);
    addPage(document);
    document->load();
    if (m_recovery) m_recovery->look(full);
}

void MainWindow::newSource() {
    int number = 1;
    for (const Document* each : m_tabs->documents()) number += each->isUntitled();
    auto* document = new Document({}, this);
    document->begin(number == 1 ? tr("Untitled") : tr("Untitled %1").arg(number), newSourceText());
    addPage(document);
    currentPage()->focusSource();
}

void MainWindow::traceWithPython() {
    const QString memory = QStringLiteral("trace_with_python");
    auto* dialog = new TraceDialog(QJsonDocument::fromJson(m_settings.panel(memory)).object(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (const Document* document = currentDocument(); document && document->source() && !document->isUntitled())
        dialog->setTarget(document->path() + u':' + QString::fromStdString(document->source()->trace()->name));
    connect(dialog, &TraceDialog::remember, this, [this, dialog, memory] {
        m_settings.setPanel(memory, QJsonDocument(dialog->memory()).toJson(QJsonDocument::Compact));
    });
    connect(dialog, &TraceDialog::traced, this,
            [this](const std::shared_ptr<const fx::GraphModule>& module, const QString& title,
                   const std::shared_ptr<QTemporaryDir>& folder) {
                openModule(module, title);
                connect(currentDocument(), &QObject::destroyed, this, [folder] {}); // its weights are there
            });
    dialog->open();
}

/// What torch.compile wrote is a list of graphs: the panel reads it and opens one of them.
bool MainWindow::openDump(const QString& path) {
    const auto stage = fx::splitStagePath(path.toStdString());
    const QFileInfo file(path);
    const bool isDump = file.isDir() ? !QFileInfo::exists(path + QStringLiteral("/module.py"))
                                     : !stage && fx::isCompilationDump(path.toStdString());
    if (!stage && !isDump) return false;
    const QString dump = stage ? QString::fromStdString(stage->first) : path;
    if (!stage) m_settings.addRecentFile(dump);
    if (!stage || m_panels->compilation->dump() != dump) {
        m_docks->show(Panel::Compilation);
        m_panels->compilation->open(dump, stage ? QString::fromStdString(stage->second) : QString());
    }
    return !stage;
}

/// One tab follows the list of stages until its graph is edited.
void MainWindow::openStage(const QString& path, const QString& node) {
    Document* before = currentDocument();
    const bool follows = before && before->path() != path && !before->isModified() &&
                         before->path().startsWith(m_panels->compilation->dump() + u'#');
    openFile(path);
    if (follows) closePages({before});
    Document* document = currentDocument();
    if (!document || node.isEmpty()) return;
    const auto select = [document, node] {
        if (document->state() != Document::State::Ready) return false;
        if (const fx::NodeId found = document->module()->graph.find(node.toStdString()); found != fx::kNoNode)
            document->goTo(found, nullptr);
        return true;
    };
    if (select()) return;
    auto* once = new QObject(document);
    connect(document, &Document::stateChanged, once, [once, select] {
        if (select()) once->deleteLater();
    });
}

void MainWindow::openModule(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs) {
    auto* document = new Document({}, this);
    document->picture().setDirection(m_settings.direction());
    document->adopt(std::move(module), title, std::move(inputs));
    addPage(document);
}

void MainWindow::addPage(Document* document) {
    document->picture().setDirection(m_settings.direction());
    if (!document->file().isEmpty()) // what panels keep; a project has its own
        document->restorePanelViews(QJsonDocument::fromJson(m_settings.viewOf(document->file())).object());
    connect(document, &Document::panelViewChanged, this, [this, document] {
        if (!document->file().isEmpty())
            m_settings.setViewOf(document->file(),
                                 QJsonDocument(document->panelViews()).toJson(QJsonDocument::Compact));
    });
    m_busy->watch(*document);
    DocumentPage* page = m_tabs->add(document);
    connectPage(page);
    page->setSourceShown(document->source() || fx::splitSourcePath(document->path().toStdString()) ||
                         m_settings.panel(QStringLiteral("source")) == "shown");
    m_tabs->setCurrentWidget(page);
    m_centre->setCurrentWidget(m_tabs);
    pageChanged(page);
}

/// What concerns this document, whichever is in front.
void MainWindow::connectPage(DocumentPage* page) {
    Document* document = &page->document();
    connect(page, &DocumentPage::sourceToggled, this, [this, page](bool shown) {
        if (!page->document().source()) m_settings.setPanel(QStringLiteral("source"), shown ? "shown" : "hidden");
        updateActions();
    });
    connect(page, &DocumentPage::openOtherRequested, this, &MainWindow::openDialog);
    connect(page, &DocumentPage::closeRequested, this, [this, document] { closePages({document}); });
    connect(page, &DocumentPage::inputsRequested, m_run, &RunCenter::editInputs);
    connect(page, &DocumentPage::contentChanged, this, [this, page] { pageChanged(page); });
    connect(page, &DocumentPage::reloadRequested, this, [this, document] { reload(*document); });
    m_menus->connectPage(*page);
    m_panels->partition->connectCuts(page->canvas(), *document);
    connect(&page->canvas(), &GraphCanvas::nodeActivated, this, [this, document](fx::NodeId node) {
        const bool selected = document->selection() == std::vector<fx::NodeId>{node};
        if (document == currentDocument() && selected && !nestedGraphs(*document).empty()) openNested();
    });
    auto* drop = new ModuleDrop(document, &page->canvas());
    connect(drop, &ModuleDrop::told, this, &MainWindow::notify);
    connect(drop, &ModuleDrop::dropped, this, [this, document](const QString& name, const QByteArray& steps) {
        m_edits->makeNodes(*document, name, steps);
    });
    const auto refuse = [this, document](const fx::Error& error) { m_edits->tellRefusal(*document, error); };
    connect(drop, &ModuleDrop::refused, this, refuse);
    connect(document, &Document::refused, this, refuse);
    connect(document, &Document::unchanged, this,
            [this](const QString& name) { notify(tr("%1: nothing changed.").arg(name)); });
    for (auto signal : {&Document::versionChanged, &Document::draftChanged})
        connect(document, signal, page, [this] { m_tabs->showTitles(*m_run); });
    connect(&document->operations(), &DocumentOperations::failed, this,
            [this](const QString& failure, const fx::Error& error) { showFailure(this, failure, error); });
}

void MainWindow::pageChanged(DocumentPage* page) {
    Document& document = page->document();
    if (document.state() == Document::State::Ready && !document.path().isEmpty() && !document.isUntitled())
        if (!fx::splitStagePath(document.path().toStdString())) m_settings.addRecentFile(document.path());
    if (page == currentPage()) switchPage();
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
        statusBar()->clearMessage(); // it was about the other one
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
    reloadAsking(document, modelName, *m_saves, this);
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

void MainWindow::endDocuments() {
    for (Document* document : m_tabs->documents()) document->endJournal();
}

/// Somebody may have changed files in another program meanwhile.
void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_tabs) m_tabs->showTitles(*m_run); // dots in the theme's colours
    if (event->type() != QEvent::ActivationChange || !isActiveWindow()) return;
    for (const DocumentPage* page : m_tabs->pages()) page->diskBar().check();
}

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
    for (DocumentPage* page : m_tabs->pages()) {
        if (page->document().path() != path || page->document().isModified()) continue;
        m_tabs->setCurrentWidget(page);
        document = &page->document();
        break;
    }
    if (!document) addPage(document = new Document(path, this));
    const auto lost = model->lost;
    document->restore(*journal, std::move(*model));
    if (lost) showFailure(this, tr("Could not recover the edits of the graph of %1").arg(document->title()), *lost);
    if (document->draft())
        m_panels->code->setDocument(nullptr), m_panels->code->setDocument(document); // what was typed
    const bool hasSource = journal->draft() && journal->draft()->source;
    const QString recovered = !document->draft() ? tr("Recovered %1.")
                              : hasSource        ? tr("Recovered the source and the unapplied code of %1.")
                                                 : tr("Recovered the unapplied code of %1.");
    const bool undoes = document->history()->canUndo();
    notify(recovered.arg(document->title()) +
           (undoes ? u' ' + tr("Press Ctrl+Z to undo its edits one by one.") : QString()));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    QStringList recipes;
    bool opens = false;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (!url.isLocalFile()) continue;
        const QString path = url.toLocalFile();
        if (isRecipe(path)) recipes << path;
        else openFile(path), opens = true;
    }
    event->acceptProposedAction();
    if (!recipes.isEmpty()) dropRecipes(recipes, opens);
}

/// A recipe is for the model that one sees, and each is previewed by itself; `opens`: models came with them.
void MainWindow::dropRecipes(const QStringList& paths, bool opens) {
    const QString name = QFileInfo(paths.front()).fileName();
    if (opens) notify(tr("%1 is a recipe: drop it again when the model is open.").arg(name));
    else if (!m_current.ready())
        notify(tr("Open a model first: %1 is a recipe, which is applied to the current model.").arg(name));
    else if (paths.size() > 1) notify(tr("Drop one recipe at a time: each is previewed before it is applied."));
    else applyRecipe(paths.front());
}

} // namespace ui
