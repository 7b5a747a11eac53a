// SPDX-License-Identifier: GPL-3.0-or-later
// What changes the model: each action is a step of the engine, can be undone, and is refused in words.
#include "ui/shell/window/main_window.h"

#include "core/base/memory.h"
#include "core/edit/steps.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/node_facts.h"
#include "ui/edit/erase_dialog.h"
#include "ui/partition/partition_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/result/error_map.h"
#include "ui/shell/document_page.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/operations/previews.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/saving/name_warning.h"
#include "ui/shell/saving/save_center.h"
#include "ui/shell/settings.h"
#include "ui/timing/heat_legend.h"
#include "ui/timing/timing_panel.h"

#include <QDockWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTabWidget>

namespace ui {

namespace {

/// Nodes whose last user has gone. Linear.
std::vector<fx::NodeId> newlyUnused(const fx::Graph& before, const fx::Graph& after) {
    std::vector<fx::NodeId> unused;
    for (const fx::Node& node : after.nodes())
        if (node.users().empty() && node.op() != fx::Op::Output && node.op() != fx::Op::Placeholder &&
            fx::index(node.id()) < before.idLimit() && !before.node(node.id()).users().empty())
            unused.push_back(node.id());
    return unused;
}

void selectCreated(Document& document, const fx::GraphModule& before) {
    const fx::EditEffect effect = fx::compareVersions(before.graph, document.module()->graph);
    if (!effect.created.empty()) document.select(effect.created, nullptr);
}

} // namespace

void MainWindow::connectChangeActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->undo, [this] { currentDocument()->undo(); });
    on(m_actions->redo, [this] { currentDocument()->redo(); });
    on(m_actions->eraseNodes, &MainWindow::eraseSelected);
    on(m_actions->renameNode, &MainWindow::renameSelected);
    on(m_actions->save, [this] { m_saves->save(*currentDocument()); });
    on(m_actions->warnNames, [this](bool warns) { setWarnsAboutNames(*currentDocument(), warns); });
    on(m_actions->applyRecipe, [this] {
        const QString path = m_recipes->askForFile(m_settings.lastFolder());
        if (!path.isEmpty()) applyRecipe(path);
    });
    connectPlaces();
    on(m_actions->saveAs, [this] { m_saves->saveAs(*currentDocument()); });
    using Task = CallDialog::Task;
    on(m_actions->insertAfter, [this] { insertOrChange(Task::InsertAfter); });
    on(m_actions->insertBefore, [this] { insertOrChange(Task::InsertBefore); });
    on(m_actions->changeCall, [this] { insertOrChange(Task::ChangeCall); });
    on(m_actions->replaceModule, [this] { insertOrChange(Task::ReplaceModule); });
    on(m_actions->replaceModuleClass, [this] { insertOrChange(Task::ReplaceModuleClass); });
    on(m_actions->deadCode, [this] {
        currentDocument()->editInBackground(tr("Remove unused nodes"),
                                            QByteArray::fromStdString(fx::StepList().deadCode().text()));
    });
    on(m_actions->findPattern, &MainWindow::findPattern);
    on(m_actions->replacePattern, [this] {
        showPanel(*m_patternDock);
        m_pattern->focusReplacement();
    });
    on(m_actions->partition, [this] { showPanel(*m_partitionDock); });
    on(m_actions->expandModule, [this] {
        Document* document = currentDocument();
        const std::string& name = document->module()->graph.node(document->selection().front()).name();
        document->edit(tr("Expand %1").arg(QString::fromStdString(name)),
                       QByteArray::fromStdString(fx::StepList().inlineModule(name).text()));
    });
    on(m_actions->compare, [this] { m_previews->compare(*currentDocument()); });
}

void MainWindow::insertOrChange(CallDialog::Task task) {
    Document* document = currentDocument();
    openCallDialog(new CallDialog(*document, document->selectionInGraphOrder(), task, this));
}

void MainWindow::openCallDialog(CallDialog* dialog) {
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setModal(true);
    const QString kRecent = QStringLiteral("calls");
    dialog->setRecent(m_settings.panel(kRecent));
    connect(dialog, &QDialog::accepted, this, [this, kRecent, dialog, document = QPointer(currentDocument())] {
        m_settings.setPanel(kRecent, dialog->recent());
        if (document && document == currentDocument()) makeNodes(dialog->name(), dialog->steps());
    });
    connect(dialog, &CallDialog::previewRequested, currentDocument(),
            [this, dialog, document = currentDocument()](const QString& name, const QByteArray& steps) {
                const auto before = document->module();
                m_previews->preview(*document, name, steps, dialog, [document, before, still = QPointer(dialog)] {
                    selectCreated(*document, *before);
                    if (still) still->reject(); // it is done
                });
            });
    dialog->open();
}

/// What was made is selected, so that the next action goes on from there.
void MainWindow::makeNodes(const QString& name, const QByteArray& steps) {
    Document* document = currentDocument();
    changeModel(*document, name, steps, [document, before = document->module()] { selectCreated(*document, *before); });
}

/// New weights are made in the background when they are large, and only when the user agrees when they are very large.
void MainWindow::changeModel(Document& changed, const QString& name, const QByteArray& steps,
                             std::function<void()> onDone) {
    constexpr std::uint64_t kAtOnce = 4 << 20, kUnasked = std::uint64_t{1} << 30;
    const QPointer<Document> document = &changed;
    const auto before = document->module();
    std::uint64_t bytes = 0;
    try {
        if (steps.contains("\"module\"")) bytes = fx::History::tried(*before, steps.toStdString()).weightBytes;
    } catch (const fx::Error&) {
        // The edit itself says why not.
    }
    if (bytes > kUnasked) {
        QMessageBox box(QMessageBox::Warning, tr("Large Module"),
                        tr("The new weights need %1 of memory.").arg(QString::fromStdString(fx::bytesInWords(bytes))),
                        QMessageBox::Cancel, this);
        QPushButton* create = box.addButton(tr("Create Anyway"), QMessageBox::AcceptRole);
        box.setDefaultButton(QMessageBox::Cancel);
        box.exec();
        if (box.clickedButton() != create || !document || document->module() != before) return;
    }
    const auto done = [this, name, onDone = std::move(onDone)] {
        if (onDone) onDone();
        notify(tr("%1. Press Ctrl+Z to undo.").arg(name));
    };
    if (bytes > kAtOnce) document->editInBackground(name, steps, done);
    else if (document->edit(name, steps)) done();
}

void MainWindow::showEdgeMenu(const QPoint& position, fx::NodeId from, fx::NodeId to) {
    Document* document = currentDocument();
    const auto name = [&](fx::NodeId node) {
        return QString::fromStdString(document->module()->graph.node(node).name());
    };
    QMenu menu;
    menu.addAction(tr("Insert Between %1 and %2…").arg(name(from), name(to)), this, [this, document, from, to] {
        auto* dialog = new CallDialog(*document, {from}, CallDialog::Task::InsertAfter, this);
        dialog->setOnlyUser(to);
        openCallDialog(dialog);
    });
    menu.addAction(tr("Go to %1").arg(name(from)), this, [document, from] { document->goTo(from, nullptr); });
    menu.addAction(tr("Go to %1").arg(name(to)), this, [document, to] { document->goTo(to, nullptr); });
    menu.exec(position);
}

/// A menu of the inputs of `to` that `from` can take the place of.
void MainWindow::connectNodes(const QPoint& position, fx::NodeId from, fx::NodeId to) {
    Document* document = currentDocument();
    const fx::Graph& graph = document->module()->graph;
    const fx::Node& user = graph.node(to);
    const auto name = [&](fx::NodeId node) { return QString::fromStdString(graph.node(node).name()); };
    QMenu menu;
    for (const fx::NodeId input : user.inputs())
        menu.addAction(tr("Replace %3 with %2 in %1").arg(name(to), name(from), name(input)), this, [=, &graph] {
            document->edit(tr("Connect %1 to %2").arg(name(from), name(to)),
                           QByteArray::fromStdString(fx::StepList().setInput(graph, to, input, from).text()));
        });
    if (user.inputs().empty()) menu.addAction(tr("%1 has no inputs").arg(name(to)))->setEnabled(false);
    menu.exec(position);
}

void MainWindow::findPattern() {
    showPanel(*m_patternDock);
    m_pattern->takeSelection();
}

/// The canvas in front shows the partitions while their panel is seen, else times or errors when they are wanted, else
/// the matches; the others their plain look.
void MainWindow::showMatches() {
    for (int i = 0; i < m_tabs->count(); ++i) {
        auto* page = static_cast<DocumentPage*>(m_tabs->widget(i));
        const bool front = page == currentPage(), partitions = front && m_partition->colours();
        const bool free = front && !partitions;
        const HeatMap* heat = free && page->colours() == DocumentPage::Colours::Times && !m_timing->heat().empty()
                                  ? &m_timing->heat()
                                  : nullptr;
        const ErrorMap* errors = free && page->colours() == DocumentPage::Colours::Errors ? m_errors : nullptr;
        GraphCanvas& canvas = page->canvas();
        HeatLegend::showOn(canvas, (heat || errors) && !isInFront(*m_legendDock)
                                       ? colourLegend()
                                       : ColourLegend()); // one of them is enough
        canvas.setNodeStyler(partitions ? NodeStyler([this](fx::NodeId node) { return m_partition->styleOf(node); })
                             : heat     ? NodeStyler([heat](fx::NodeId node) { return heat->styleOf(node); })
                             : errors   ? NodeStyler([errors](fx::NodeId node) { return errors->styleOf(node); })
                             : front && !m_pattern->result().matches.empty()
                                 ? NodeStyler([this](fx::NodeId node) { return m_pattern->styleOf(node); })
                                 : NodeStyler());
        canvas.setRegions(partitions
                              ? RegionSource([this](const std::string& path) { return m_partition->sharesOf(path); })
                          : heat   ? RegionSource([heat](const std::string& path) { return heat->sharesOf(path); })
                          : errors ? RegionSource([errors](const std::string& path) { return errors->sharesOf(path); })
                                   : RegionSource());
        canvas.setBands(partitions ? m_partition->bands() : nullptr);
        canvas.setWay(partitions ? m_partition->way() : std::vector<fx::NodeId>());
    }
    m_legend->setColours(colourLegend());
}

ColourLegend MainWindow::colourLegend() const {
    if (!currentPage()) return {};
    if (m_partition->colours()) return m_partition->legend();
    switch (currentPage()->colours()) {
    case DocumentPage::Colours::Times: return m_timing->heat().legend();
    case DocumentPage::Colours::Errors: return m_errors->legend();
    case DocumentPage::Colours::Kinds: break;
    }
    return {};
}

void MainWindow::showNodeMenu(const QPoint& position) {
    QMenu menu;
    menu.setToolTipsVisible(true);
    menu.addActions({m_actions->insertAfter, m_actions->insertBefore, m_actions->changeCall, m_actions->replaceModule,
                     m_actions->replaceModuleClass, m_actions->renameNode, m_actions->eraseNodes});
    menu.addSeparator();
    menu.addActions({m_actions->findPattern, m_actions->selectInputs, m_actions->selectUsers, m_actions->copyNames,
                     m_actions->paste});
    if (m_partition->isSeen()) {
        menu.addSeparator();
        m_partition->addTo(*menu.addMenu(tr("Partition")));
    }
    menu.addSeparator();
    menu.addActions({m_actions->zoomToSelection, m_actions->hideSelected, m_actions->showAll, m_actions->openNested,
                     m_actions->expandModule});
    menu.addSeparator();
    menu.addActions({m_actions->expandAll, m_actions->collapseAll, m_actions->fit});
    menu.exec(position);
}

/// What leaves no choice is erased at once; else the dialog asks what the users of the nodes get.
void MainWindow::eraseSelected() {
    Document* document = currentDocument();
    Erasure erasure(document->shown(), document->selectionInGraphOrder());
    if (!erasure.needsAnswer()) return erase(*document, tr("Erase %1").arg(erasure.what()), erasure.steps(false));
    auto* dialog = new EraseDialog(std::move(erasure), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, document, [this, dialog, document, asked = document->module()] {
        if (document->module() == asked) erase(*document, dialog->name(), dialog->steps());
    });
    dialog->open();
}

void MainWindow::erase(Document& document, const QString& name, const QByteArray& steps) {
    const auto before = document.module();
    if (!document.edit(name, steps)) return;
    const std::vector<fx::NodeId> unused = newlyUnused(before->graph, document.module()->graph);
    const QString left =
        unused.empty() ? QString() : u' ' + tr("Left unused: %1.").arg(namesInWords(before->graph, unused));
    notify(tr("%1.%2 Press Ctrl+Z to undo.").arg(name, left));
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
    updateTabs();
    QString title = document ? document->title() : QString();
    title.replace(QLatin1String("[*]"), QLatin1String("[*][*]")); // else it is where the mark stands
    setWindowTitle(document ? tr("%1[*] – Lancet").arg(title) : tr("Lancet"));
    setWindowModified(document && document->isModified());
    updateStatus(); // and the actions
}

void MainWindow::tellRefusal(const fx::Error& error) {
    if (const Document* document = currentDocument()) tellRefusal(*document, error);
}

void MainWindow::tellRefusal(const Document& document, const fx::Error& error) {
    QMessageBox box(QMessageBox::Information, tr("%1 Was Not Changed").arg(document.title()),
                    QString::fromUtf8(error.what()), QMessageBox::Ok, this);
    box.setTextFormat(Qt::PlainText);
    if (!error.hint.empty()) box.setInformativeText(QString::fromStdString(error.hint));
    box.exec();
}

} // namespace ui
