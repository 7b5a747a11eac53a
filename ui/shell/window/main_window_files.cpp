// SPDX-License-Identifier: GPL-3.0-or-later
// Documents are opened: from files, dumps, recipes that are dropped, and what a crash left.
#include "ui/shell/window/main_window.h"

#include "core/files/leftovers.h"
#include "ui/code/code_panel.h"
#include "ui/compilation/compilation_panel.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/trust_dialog.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/dropped_files.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/source/new_source.h"
#include "ui/source/trace_dialog.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/file_dialog.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QJsonDocument>
#include <QMimeData>
#include <QVBoxLayout>

namespace ui {

void MainWindow::openDialog() {
    FileDialog dialog(this, tr("Open Models"), m_settings.lastFolder(),
                      tr("Models (*.pt *.pt2 *.pth *.json *.py *.ts *.lancet);;All files (*)"));
    dialog.setFileMode(QFileDialog::ExistingFiles);
    dialog.offerFolder(tr("Open as Model Folder"));
    for (const QString& file : dialog.taken()) openFile(file);
}

void MainWindow::openFile(const QString& path) {
    if (path.isEmpty()) return; // as `lancet-gui "$FILE"` gives where FILE is not set
    const QString full = QFileInfo(path).absoluteFilePath();
    if (DocumentPage* open = m_tabs->pageOf(full)) return m_tabs->setCurrentWidget(open);
    m_settings.setLastFolder(QFileInfo(full).path());
    fx::removeLeftovers(QFileInfo(full).path().toStdString());
    auto* document = new Document(full, this, m_readers);
    addPage(document);
    document->load();
    if (m_recovery) m_recovery->look(full);
}

void MainWindow::newSource() {
    auto* document = new Document({}, this, m_readers);
    document->begin(m_tabs->untitledTitle(), newSourceText());
    addPage(document);
    currentPage()->focusSource();
}

void MainWindow::traceWithPython() {
    const QString memory = QStringLiteral("trace_with_python");
    auto* dialog = new TraceDialog(QJsonDocument::fromJson(m_settings.panel(memory)).object(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (const Document* document = currentDocument(); document && document->source() && !document->file().isUntitled())
        dialog->setTarget(document->file().opened() + u':' + QString::fromStdString(document->source()->trace()->name));
    connect(dialog, &TraceDialog::remember, this, [this, dialog, memory] {
        m_settings.setPanel(memory, QJsonDocument(dialog->memory()).toJson(QJsonDocument::Compact));
    });
    connect(dialog, &TraceDialog::traced, this,
            [this](const std::shared_ptr<const fx::GraphModule>& module, const QString& title,
                   const std::shared_ptr<fx::TemporaryFolder>& folder) {
                openModule(module, title);
                connect(currentDocument(), &QObject::destroyed, this, [folder] {}); // its weights are there
            });
    dialog->open();
}

void MainWindow::showTrustCard() {
    const Document* document = currentDocument();
    const QString current = document && !document->file().isUntitled() ? document->file().opened() : QString();
    const QString path =
        FileDialog::openFile(this, tr("Trust Card of a File"), current.isEmpty() ? m_settings.lastFolder() : current,
                             tr("Files of PyTorch (*.pt *.pth *.pt2 *.bin *.ckpt *.pkl);;All files (*)"));
    if (path.isEmpty()) return;
    auto* dialog = new TrustDialog(path, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

/// What torch.compile wrote is a list of graphs: the panel reads it and opens one of them.
void MainWindow::showDump(Document& document, const QString& dump, const QString& stage) {
    if (stage.isEmpty()) m_settings.addRecentFile(dump), closePages({&document});
    if (!stage.isEmpty() && m_panels->compilation->dump() == dump) return;
    m_docks->show(Panel::Compilation);
    m_panels->compilation->open(dump, stage);
}

/// One tab follows the list of stages until its graph is edited.
void MainWindow::openStage(const QString& path, const QString& node) {
    Document* before = currentDocument();
    const bool follows = before && before->file().opened() != path && !before->isModified() &&
                         before->file().opened().startsWith(m_panels->compilation->dump() + u'#');
    openFile(path);
    if (follows) closePages({before});
    Document* document = currentDocument();
    if (!document || node.isEmpty()) return;
    const auto select = [document, node] {
        if (document->state() != Document::State::Ready) return false;
        if (const fx::NodeId found = document->module()->graph.find(node.toStdString()); found != fx::kNoNode)
            document->selection().goTo(found, nullptr);
        return true;
    };
    if (select()) return;
    auto* once = new QObject(document);
    connect(document, &Document::stateChanged, once, [once, select] {
        if (select()) once->deleteLater();
    });
}

Document* MainWindow::openModule(std::shared_ptr<const fx::GraphModule> module, const QString& title,
                                 std::string inputs) {
    auto* document = new Document({}, this, m_readers);
    document->picture().setDirection(m_settings.direction());
    document->adopt(std::move(module), title, std::move(inputs));
    addPage(document);
    return document;
}

void MainWindow::offerRecovery(const QString& folder) {
    if (m_recovery) return;
    m_recovery = new RecoveryBar(folder, m_readers, centralWidget());
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
        if (page->document().file().opened() != path || page->document().isModified()) continue;
        if (page->document().operations().isWriting()) continue; // what it saves is another model
        m_tabs->setCurrentWidget(page);
        document = &page->document();
        break;
    }
    if (!document) addPage(document = new Document(path, this, m_readers));
    const auto lost = model->lost;
    document->restore(*journal, std::move(*model), m_tabs->untitledTitle());
    if (!document->file().isUntitled())
        m_tabs->pageOf(*document)->diskBar().check(); // the file may be another one by now
    if (lost)
        showFailure(this, tr("Could not recover the edits of the graph of %1").arg(document->file().title()), *lost);
    if (document->draft())
        m_panels->code->setDocument(nullptr), m_panels->code->setDocument(document); // what was typed
    const bool hasSource = journal->draft() && journal->draft()->source;
    const QString recovered = !document->draft() ? tr("Recovered %1.")
                              : hasSource        ? tr("Recovered the source and the unapplied code of %1.")
                                                 : tr("Recovered the unapplied code of %1.");
    const bool undoes = document->versions().history()->canUndo();
    notify(recovered.arg(document->file().title()) +
           (undoes ? u' ' + tr("Press Ctrl+Z to undo its edits one by one.") : QString()));
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (DroppedFiles::accepts(*event->mimeData())) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    event->acceptProposedAction();
    m_dropped->take(event->mimeData()->urls());
}

} // namespace ui
