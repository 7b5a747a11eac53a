// SPDX-License-Identifier: GPL-3.0-or-later
// What changes the model: each action is a step of the engine, can be undone, and is refused in words.
#include "ui/shell/main_window.h"

#include "core/base/json_writer.h"
#include "core/io/ir_json/ir_json.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QTabWidget>

namespace ui {

void MainWindow::connectChangeActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->undo, [this] { currentDocument()->undo(); });
    on(m_actions->redo, [this] { currentDocument()->redo(); });
    on(m_actions->eraseNodes, &MainWindow::eraseSelected);
    on(m_actions->renameNode, &MainWindow::renameSelected);
    on(m_actions->saveAs, &MainWindow::saveDialog);
}

/// Erases the selected nodes, users before what they use.
void MainWindow::eraseSelected() {
    Document* document = currentDocument();
    const std::vector<fx::NodeId> nodes = document->selectionInGraphOrder();
    fx::JsonWriter json;
    json.beginArray();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
        json.beginObject().key("step").string("erase").key("node").string(document->module()->graph.node(*node).name()).endObject();
    const QString name = nodes.size() == 1 ? tr("Erase %1").arg(QString::fromStdString(document->module()->graph.node(nodes[0]).name()))
                                           : tr("Erase %n nodes", nullptr, static_cast<int>(nodes.size()));
    if (document->edit(name, QByteArray::fromStdString(json.endArray().text()))) notify(tr("%1. Ctrl+Z takes it back.").arg(name));
}

void MainWindow::renameSelected() {
    Document* document = currentDocument();
    const QString old = QString::fromStdString(document->module()->graph.node(document->selection().front()).name());
    bool accepted = false;
    const QString name = QInputDialog::getText(this, tr("Rename node"), tr("New name; torch.fx makes it unique"), QLineEdit::Normal, old, &accepted);
    if (accepted && !name.isEmpty() && name != old) renameNode(old, name);
}

void MainWindow::renameNode(const QString& old, const QString& name) {
    fx::JsonWriter json;
    json.beginArray().beginObject().key("step").string("rename").key("node").string(old.toStdString()).key("name").string(name.toStdString()).endObject();
    currentDocument()->edit(tr("Rename %1").arg(old), QByteArray::fromStdString(json.endArray().text()));
}

/// The undo stack, the tab and the actions follow the version that is shown.
void MainWindow::showVersion() {
    Document* document = currentDocument();
    const fx::History* history = document ? document->history() : nullptr;
    const auto named = [&](const QString& action, bool there, std::size_t entry) {
        return there ? action + u' ' + QString::fromStdString(history->entries()[entry].name) : action;
    };
    m_actions->undo->setText(named(tr("&Undo"), history && history->canUndo(), history ? history->current() : 0));
    m_actions->redo->setText(named(tr("Re&do"), history && history->canRedo(), history ? history->current() + 1 : 0));
    for (int i = 0; i < m_tabs->count(); ++i) {
        const Document& each = static_cast<DocumentPage*>(m_tabs->widget(i))->document();
        m_tabs->setTabText(i, each.isModified() ? each.title() + QStringLiteral(" •") : each.title());
    }
    updateActions();
}

void MainWindow::tellRefusal(const fx::Error& error) {
    QMessageBox box(QMessageBox::Information, tr("Not possible"), QString::fromUtf8(error.what()), QMessageBox::Ok, this);
    if (!error.hint.empty()) box.setInformativeText(QString::fromStdString(error.hint));
    box.exec();
}

void MainWindow::saveDialog() {
    Document* document = currentDocument();
    const QString suggestion = QFileInfo(m_settings.lastFolder(), QFileInfo(document->title()).completeBaseName() + QStringLiteral(".pt")).filePath();
    QString path = QFileDialog::getSaveFileName(this, tr("Save as"), suggestion, tr("GraphModule for torch.load (*.pt);;Lancet description (*.json)"));
    if (path.isEmpty()) return;
    if (QFileInfo(path).suffix().isEmpty()) path += QStringLiteral(".pt");
    saveTo(path);
}

/// Off the GUI thread; what is saved is the version that is current now.
void MainWindow::saveTo(const QString& path) {
    notify(tr("Saving %1…").arg(path));
    const QPointer<Document> document = currentDocument();
    const auto version = document->module();
    m_save.start(
        [version, path = path.toStdString()](const fx::Progress& progress) {
            if (!path.ends_with(".json")) return fx::saveGraphModule(*version, path, true, progress);
            fx::writeIrJson(*version, path, progress);
            return fx::SaveReport{};
        },
        this,
        [this, document, version, path](fx::SaveReport report) {
            if (document) document->setSaved(version);
            const QString remark = report.warnings.empty() ? QString() : u' ' + QString::fromStdString(report.warnings.front().what);
            notify((report.verified ? tr("Saved and compared: %1.") : tr("Saved: %1.")).arg(path) + remark);
        },
        [this](const fx::Error& error) { tellFailure(error); });
}

/// Asks when something would be lost.
bool MainWindow::mayClose(const Document& document) {
    if (!document.isModified()) return true;
    return QMessageBox::question(this, tr("Changes are not saved"), tr("%1 has changes that are not saved. Close it and lose them?").arg(document.title()),
                                 QMessageBox::Discard | QMessageBox::Cancel, QMessageBox::Cancel) == QMessageBox::Discard;
}

} // namespace ui
