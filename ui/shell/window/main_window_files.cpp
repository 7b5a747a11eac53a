// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/module_drop.h"
#include "ui/shell/window/main_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/changes/changes_panel.h"
#include "ui/code/code_panel.h"
#include "ui/document/node_facts.h"
#include "ui/history/history_panel.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/operations/export_dialog.h"
#include "ui/shell/operations/failure_box.h"
#include "ui/shell/operations/picture_exports.h"
#include "ui/shell/problems_panel.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/samples.h"
#include "ui/shell/saving/save_center.h"
#include "ui/shell/saving/save_path.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/timing/timing_panel.h"
#include "ui/values/values_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>

namespace ui {

void MainWindow::openDialog() {
    const QStringList files =
        QFileDialog::getOpenFileNames(this, tr("Open Models"), m_settings.lastFolder(),
                                      tr("Models (*.pt *.pt2 *.pth *.json *.py *.ts *.lancet);;All files (*)"));
    for (const QString& file : files) openFile(file);
}

void MainWindow::openFile(const QString& path) {
    const QString full = QFileInfo(path).absoluteFilePath();
    for (int i = 0; i < m_tabs->count(); ++i)
        if (isSamePath(static_cast<DocumentPage*>(m_tabs->widget(i))->document().file(), full))
            return m_tabs->setCurrentIndex(i);
    m_settings.setLastFolder(QFileInfo(full).path());
    auto* document = new Document(full, this);
    addPage(document);
    document->load();
    if (m_recovery) m_recovery->look(full);
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
    auto* page = new DocumentPage(document, m_tabs);
    connectPage(page);
    m_partition->connectCuts(page->canvas(), *document);
    m_busy->watch(*document);
    const int index = m_tabs->addTab(page, plainTabText(document->title()));
    m_tabs->setTabToolTip(index, plainToolTip(document->path().isEmpty() ? document->title() : document->path()));
    m_tabs->setCurrentIndex(index);
    m_centre->setCurrentWidget(m_tabs);
    pageChanged(page);
}

/// What concerns this document, whichever is in front.
void MainWindow::connectPage(DocumentPage* page) {
    Document* document = &page->document();
    connect(page, &DocumentPage::openOtherRequested, this, &MainWindow::openDialog);
    connect(page, &DocumentPage::closeRequested, this, [this, document] { closePages({document}); });
    connect(page, &DocumentPage::inputsRequested, this, [this] { m_run->editInputs(); });
    connect(page, &DocumentPage::contentChanged, this, [this, page] { pageChanged(page); });
    connect(page, &DocumentPage::contextMenuRequested, this, &MainWindow::showNodeMenu);
    connect(&page->canvas(), &GraphCanvas::nameActivated, this, &MainWindow::renameOnCanvas);
    connect(&page->canvas(), &GraphCanvas::edgeMenuRequested, this, &MainWindow::showEdgeMenu);
    connect(&page->canvas(), &GraphCanvas::connectRequested, this, &MainWindow::connectNodes);
    auto* drop = new ModuleDrop(document, &page->canvas());
    connect(drop, &ModuleDrop::told, this, &MainWindow::notify);
    connect(drop, &ModuleDrop::dropped, this, &MainWindow::makeNodes);
    connect(drop, &ModuleDrop::refused, this,
            [this, document](const fx::Error& error) { tellRefusal(*document, error); });
    connect(page, &DocumentPage::reloadRequested, this, [this, document] { reload(*document); });
    connect(document, &Document::versionChanged, page, [this] { updateTabs(); });
    connect(document, &Document::draftChanged, page, [this] { updateTabs(); });
    connect(document, &Document::refused, this,
            [this, document](const fx::Error& error) { tellRefusal(*document, error); });
    connect(&document->operations(), &DocumentOperations::failed, this,
            [this](const QString& failure, const fx::Error& error) { showFailure(this, failure, error); });
}

/// A file name may contain "&", which tabs would take as a mnemonic.
QString MainWindow::plainTabText(QString title) { return title.replace(u'&', QStringLiteral("&&")); }

void MainWindow::pageChanged(DocumentPage* page) {
    Document& document = page->document();
    if (document.state() == Document::State::Ready && !document.path().isEmpty())
        m_settings.addRecentFile(document.path());
    if (page == currentPage()) switchPage();
}

DocumentPage* MainWindow::currentPage() const { return static_cast<DocumentPage*>(m_tabs->currentWidget()); }

Document* MainWindow::currentDocument() const { return currentPage() ? &currentPage()->document() : nullptr; }

/// Another document is in front: all panels turn to it.
void MainWindow::switchPage() {
    DocumentPage* page = currentPage();
    Document* document = page ? &page->document() : nullptr;
    m_centre->setCurrentWidget(page ? static_cast<QWidget*>(m_tabs) : m_welcome);
    if (!page) m_welcome->setRecentFiles(m_settings.recentFiles());
    if (m_shown != document) {
        m_shown = document;
        m_busy->setDocument(document);
        m_saves->setInFront(document);
        m_modules->setDocument(document);
        m_nodes->setDocument(document);
        m_table->setDocument(document);
        m_code->setDocument(document);
        m_inspector->setDocument(document);
        m_problems->setDocument(document);
        m_pattern->setDocument(document);
        m_partition->setDocument(document);
        m_changes->setDocument(document);
        m_history->setDocument(document);
        showRun(document);
        m_findBar->setDocument(document);
        m_legend->setCanvas(page ? &page->canvas() : nullptr);
        followShown();
    }
    if (!document || document->state() != Document::State::Ready) closeFind();
    showVersion();
}

void MainWindow::followShown() {
    for (const auto& connection : std::exchange(m_following, {})) disconnect(connection);
    const Document* document = m_shown;
    if (!document) return;
    for (auto signal : {&Document::codeChanged, &Document::indexChanged, &Document::problemsChanged})
        m_following << connect(document, signal, this, &MainWindow::updateStatus);
    m_following << connect(document, &Document::selectionChanged, this, &MainWindow::updateStatus);
    m_following << connect(document, &Document::versionChanged, this, &MainWindow::showVersion);
    m_following << connect(document, &Document::draftChanged, this, &MainWindow::showVersion);
    const DocumentPicture* picture = &m_shown->picture();
    m_following << connect(picture, &DocumentPicture::pictureChanged, this, &MainWindow::updateStatus);
    m_following << connect(picture, &DocumentPicture::optionsChanged, this, &MainWindow::updateStatus);
}

void MainWindow::fillSamplesMenu() {
    for (const Sample& sample : samples()) {
        QAction* action = m_actions->samplesMenu->addAction(QFileInfo(sample.path).fileName(), this,
                                                            [this, path = sample.path] { openFile(path); });
        action->setToolTip(sample.about);
    }
    m_actions->samplesMenu->menuAction()->setVisible(!m_actions->samplesMenu->isEmpty());
}

void MainWindow::fillRecentMenu() {
    QMenu* menu = m_actions->recentMenu;
    menu->clear();
    const QStringList files = m_settings.recentFiles();
    int number = 1;
    for (const QString& file : files) {
        const QFileInfo info(file);
        QAction* action = menu->addAction(QStringLiteral("&%1  %2").arg(number++).arg(plainTabText(info.fileName())),
                                          this, [this, file] { openFile(file); });
        action->setToolTip(plainToolTip(file));
        if (info.exists()) continue;
        action->setEnabled(false);
        action->setText(tr("%1 (no longer exists)").arg(action->text()));
        action->setToolTip(tr("This file no longer exists"));
    }
    if (files.isEmpty()) menu->addAction(tr("No Recent Files"))->setEnabled(false);
    menu->addSeparator();
    QAction* clear = menu->addAction(tr("&Clear Recent Files"), this, [this] { m_settings.clearRecentFiles(); });
    clear->setEnabled(!files.isEmpty());
}

/// Archives may hold several models: each can be looked at.
void MainWindow::fillModelsMenu() {
    QMenu* menu = m_actions->modelsMenu;
    menu->clear();
    Document* document = currentDocument();
    if (!document || !document->module()) return;
    for (const std::string& name : document->module()->modelNames) {
        const QString text = QString::fromStdString(name);
        QAction* action =
            menu->addAction(plainTabText(text), document, [this, document, text] { reload(*document, text); });
        action->setCheckable(true);
        action->setChecked(name == document->module()->modelName);
    }
}

void MainWindow::exportAs(ExportKind kind) {
    if (!currentPage()) return;
    if (kind == ExportKind::Png || kind == ExportKind::Svg || kind == ExportKind::Pdf) return exportPicture(kind);
    const QString path = askExportPath(this, *currentDocument(), kind, m_settings.lastFolder());
    if (!path.isEmpty()) exportFile(path, kind);
}

/// Asks how, then where to.
void MainWindow::exportPicture(ExportKind kind) {
    Document& document = *currentDocument();
    ExportChoice initial = m_exportChoice;
    if (m_actions->exportSelection->isChecked()) initial.content = ExportChoice::Content::Selection;
    ExportDialog dialog(kind, initial, !document.selection().empty(), this);
    if (dialog.exec() != QDialog::Accepted || currentDocument() != &document) return;
    m_exportChoice = dialog.choice();
    const QString path = askExportPath(this, document, kind, m_settings.lastFolder());
    if (path.isEmpty() || currentDocument() != &document) return;
    ExportRequest request = exportRequest(kind);
    request.only.clear();
    applyChoice(m_exportChoice, document.picture().options(), document.selection(), request);
    m_exports->write(document, path, request);
}

void MainWindow::exportFile(const QString& path, ExportKind kind) {
    m_exports->write(*currentDocument(), path, exportRequest(kind));
}

ExportRequest MainWindow::exportRequest(ExportKind kind) const {
    Document& document = *currentDocument();
    ExportRequest request;
    request.kind = kind;
    request.module = kind == ExportKind::Code ? document.module() : document.shown();
    request.scene = document.picture().scene();
    request.layout = document.picture().options();
    request.layout->fullNames = true;
    if (m_actions->exportSelection->isChecked()) request.only = document.selection();
    request.look = currentPage()->canvas().look();
    request.legend = colourLegend();
    request.theme = theme();
    request.title = document.title();
    return request;
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const auto urls = event->mimeData()->urls();
    if (std::any_of(urls.begin(), urls.end(), [](const QUrl& url) { return url.isLocalFile(); }))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const auto urls = event->mimeData()->urls();
    for (const QUrl& url : urls) {
        if (!url.isLocalFile()) continue;
        // Which of the two a .json file is, its beginning says.
        const QString path = url.toLocalFile();
        QFile file(path);
        const bool isRecipe = path.endsWith(QLatin1String(".json")) && file.open(QIODevice::ReadOnly) &&
                              file.read(4096).contains("\"lancet_recipe\"");
        if (!isRecipe) openFile(path);
        else if (currentDocument() && currentDocument()->state() == Document::State::Ready) applyRecipe(path);
        else
            notify(tr("Open a model first: %1 is a recipe, which is applied to the current model.")
                       .arg(QFileInfo(path).fileName()));
    }
    event->acceptProposedAction();
}

} // namespace ui
