// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are written: which format, what of the window goes along, and what is asked before something would be
// lost.
#include "ui/shell/window/main_window.h"

#include "core/codegen/module_source.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/model_files/save_project.h"
#include "core/model_files/save_pt2.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/run/run_center.h"
#include "ui/shell/busy_bar.h"
#include "ui/shell/document_page.h"
#include "ui/shell/save_sheet.h"
#include "ui/shell/settings.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QTabWidget>

namespace ui {

namespace {

/// A version on its way to a file; for a project also what led to it, how it is looked at and what it is run with.
struct Saving {
    std::shared_ptr<const fx::GraphModule> version;
    std::shared_ptr<fx::Journal> journal;
    fx::History history;
    std::string view, inputs, path;
};

fx::SaveReport saveAsProject(const Saving& saving, const fx::Progress& progress) {
    fx::Project project = fx::projectOf(saving.history);
    project.view = saving.view;
    project.inputs = saving.inputs;
    return fx::saveProject(project, *saving.version, saving.path, true, progress);
}

fx::SaveReport saveAsSource(const Saving& saving) {
    fx::ReplacedFile file(saving.path);
    file.write(fx::moduleSource(*saving.version, "Written by Lancet " LANCET_VERSION ". Weights are not in it."));
    file.commit();
    return {};
}

/// The ending of the path decides, as on the command line; without a known one it is a file for torch.load.
fx::SaveReport write(const Saving& saving, const fx::Progress& progress) {
    if (saving.journal) saving.journal->beforeOverwriting(saving.path);
    const std::string& path = saving.path;
    if (path.ends_with(".lancet")) return saveAsProject(saving, progress);
    if (path.ends_with(".pt2")) return fx::savePt2(*saving.version, path, true, progress);
    if (path.ends_with('/')) return fx::saveFolder(*saving.version, path, true, progress);
    if (path.ends_with(".py")) return saveAsSource(saving);
    if (!path.ends_with(".json")) return fx::saveGraphModule(*saving.version, path, true, progress);
    fx::writeIrJson(*saving.version, path, progress);
    return {};
}

} // namespace

/// To the file that was saved last, or the project that is open; else asks for one.
void MainWindow::save() {
    const QString target = currentDocument()->target();
    if (!target.isEmpty() && currentDocument()->targetChanged() &&
        QMessageBox::question(this, tr("File Changed"),
                              tr("%1 was changed since it was saved here. Overwrite it?").arg(target),
                              QMessageBox::Save | QMessageBox::Cancel, QMessageBox::Cancel) != QMessageBox::Save)
        return;
    if (target.isEmpty()) saveDialog();
    else saveTo(target);
}

void MainWindow::saveDialog() {
    Document* document = currentDocument();
    const bool exported = document->module()->format == fx::Format::Pt2; // only these can be written as such
    const std::pair<QString, QString> formats[] = {
        {QStringLiteral(".pt2"), tr("Exported program for torch.export.load (*.pt2)")},
        {QStringLiteral(".pt"), tr("GraphModule for torch.load (*.pt)")},
        {QStringLiteral(".lancet"), tr("Lancet project, with all edits (*.lancet)")},
        {QStringLiteral("/"), tr("Folder as to_folder writes it (*)")},
        {QStringLiteral(".json"), tr("Lancet description (*.json)")},
        {QStringLiteral(".py"), tr("Python source, without weights (*.py)")},
    };
    QStringList filters;
    for (const auto& [ending, words] : formats)
        if (exported || ending != QLatin1String(".pt2")) filters << words;
    const QString ending = document->target().endsWith(QLatin1String(".lancet")) ? QStringLiteral(".lancet")
                                                                                 : formats[exported ? 0 : 1].first;
    const QString suggestion =
        QFileInfo(m_settings.lastFolder(), QFileInfo(document->title()).completeBaseName() + ending).filePath();
    QString chosen;
    for (const auto& [each, words] : formats)
        if (each == ending) chosen = words;
    QString path =
        QFileDialog::getSaveFileName(this, tr("Save as"), suggestion, filters.join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty()) return;
    for (const auto& [each, words] : formats)
        if (words == chosen && (QFileInfo(path).suffix().isEmpty() || each == QLatin1String("/")) &&
            !path.endsWith(each))
            path += each;
    saveTo(path);
}

/// What PyTorch will make of the file is told before it is written; when all stays as it is, nothing is asked.
void MainWindow::saveTo(const QString& path) {
    const QPointer<Document> document = currentDocument();
    const auto version = document->module();
    m_foresee.start([version, path = path.toStdString()](
                        const fx::Progress& progress) { return fx::foresee(*version, fx::savedAs(path), progress); },
                    this,
                    [this, document, version, path](const std::vector<fx::Foreseen>& points) {
                        m_busy->end();
                        if (!document || document->module() != version) return;
                        if (points.empty()) writeTo(path);
                        else openSaveSheet(*document, path, points);
                    },
                    [this](const fx::Error& error) { tellFailure(error); });
    m_busy->begin(tr("Looking at what PyTorch will make of it"), [this] { m_foresee.cancel(); });
}

void MainWindow::openSaveSheet(Document& document, const QString& path, const std::vector<fx::Foreseen>& points) {
    delete m_saveSheet;
    m_saveSheet = new SaveSheet(path, points, this);
    m_saveSheet->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_saveSheet, &SaveSheet::nodeRequested, &document, [&document](const QString& name) {
        document.goTo(document.module()->graph.find(name.toStdString()), nullptr);
    });
    connect(m_saveSheet, &QDialog::accepted, &document, [this, &document, path] {
        if (currentDocument() == &document) writeTo(path);
    });
    // What it says is about one version of one document.
    connect(&document, &Document::versionChanged, m_saveSheet, &QDialog::reject);
    connect(&document, &QObject::destroyed, m_saveSheet, &QDialog::reject);
    connect(m_tabs, &QTabWidget::currentChanged, m_saveSheet, &QDialog::reject);
    m_saveSheet->show();
}

/// Off the GUI thread; what is saved is the version that is current now.
void MainWindow::writeTo(const QString& path) {
    notify(tr("Saving %1…").arg(path));
    const QPointer<Document> document = currentDocument();
    const GraphCanvas& canvas = currentPage()->canvas();
    const fx::Point centre = canvas.visibleArea().center();
    const QByteArray view = document->view({QPointF(centre.x, centre.y), canvas.zoom()});
    const auto version = document->module();
    m_save.start(
        [saving = Saving{version, document->journal(), *document->history(), view.toStdString(),
                         m_run->session() ? m_run->session()->inputsToKeep() : std::string(),
                         path.toStdString()}](const fx::Progress& progress) { return write(saving, progress); },
        this,
        [this, document, version, path](fx::SaveReport report) {
            m_busy->end();
            if (document && !path.endsWith(QLatin1String(".py")))
                document->setSaved(version, path); // source alone is not the model
            if (!path.endsWith(u'/')) m_settings.addRecentFile(path);
            const QString remark =
                report.warnings.empty() ? QString() : u' ' + QString::fromStdString(report.warnings.front().what);
            notify((report.verified ? tr("Saved and compared: %1.") : tr("Saved: %1.")).arg(path) + remark);
        },
        [this](const fx::Error& error) { tellFailure(error); },
        [this](const QString& what, double done) { m_busy->report(what, done); });
    m_busy->begin(tr("Saving"), [this] {
        m_save.cancel();
        notify(tr("Not saved."));
    });
}

/// Asks when something would be lost.
bool MainWindow::mayClose(const Document& document) {
    if (!document.isModified()) return true;
    return QMessageBox::question(this, tr("Changes are not saved"),
                                 tr("%1 has changes that are not saved. Close it and lose them?").arg(document.title()),
                                 QMessageBox::Discard | QMessageBox::Cancel,
                                 QMessageBox::Cancel) == QMessageBox::Discard;
}

} // namespace ui
