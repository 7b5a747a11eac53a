// SPDX-License-Identifier: GPL-3.0-or-later
// Each action does something with the document in front; what it needs is there when it is enabled.
#include "ui/shell/window/main_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/changes/changes_panel.h"
#include "ui/code/code_panel.h"
#include "ui/compilation/compilation_panel.h"
#include "ui/history/history_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/quant/quant_panel.h"
#include "ui/result/result_card.h"
#include "ui/result/result_host.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/help_dialogs.h"
#include "ui/shell/operations/previews.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/preferences.h"
#include "ui/shell/saving/name_warning.h"
#include "ui/shell/saving/save_center.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/file_menus.h"
#include "ui/shell/window/graph_edits.h"
#include "ui/shell/window/nested_graphs.h"
#include "ui/shell/window/node_menus.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window/selection_actions.h"
#include "ui/timing/timing_panel.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/in_place_field.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>

namespace ui {

void MainWindow::connectFileActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->newSource, &MainWindow::newSource);
    on(m_actions->traceWithPython, &MainWindow::traceWithPython);
    on(m_actions->trustCard, &MainWindow::showTrustCard);
    on(m_actions->open, &MainWindow::openDialog);
    on(m_actions->openFolder, [this] {
        const QString folder = FileDialog::openFolder(this, tr("Open Folder"), m_settings.lastFolder());
        if (!folder.isEmpty()) openFile(folder);
    });
    on(m_actions->reload, [this] {
        if (Document* document = currentDocument(); document && !document->file().opened().isEmpty()) reload(*document);
    });
    on(m_actions->save, [this] {
        InPlaceField::commitAll(*this);
        m_saves->save(*currentDocument());
    });
    on(m_actions->saveAs, [this] {
        InPlaceField::commitAll(*this);
        m_saves->saveAs(*currentDocument());
    });
    on(m_actions->warnNames, [this](bool warns) { setWarnsAboutNames(*currentDocument(), warns); });
    on(m_actions->closeTab, [this] {
        if (Document* document = currentDocument()) closePages({document});
    });
    on(m_actions->closeAll, [this] { closePages(m_tabs->documents()); });
    on(m_actions->quit, &MainWindow::close);
    auto* menus = new FileMenus(*m_actions, m_current, m_settings, this);
    connect(menus, &FileMenus::fileChosen, this, &MainWindow::openFile);
    connect(menus, &FileMenus::modelChosen, this, [this](const QString& name) { reload(*currentDocument(), name); });
}

void MainWindow::connectEditActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->undo, [this] {
        m_message->clear(); // it may say which edit Ctrl+Z undoes
        currentDocument()->versions().undo();
    });
    on(m_actions->redo, [this] {
        m_message->clear();
        currentDocument()->versions().redo();
    });
    on(m_actions->eraseNodes, [this] { m_edits->eraseSelected(*currentDocument()); });
    on(m_actions->renameNode, [this] { m_menus->renameSelected(*currentPage()); });
    on(m_actions->find, [this] {
        placeFindBar();
        m_findBar->open();
    });
    on(m_actions->findNext, [this] { m_findBar->next(); });
    on(m_actions->findPrevious, [this] { m_findBar->previous(); });
    on(m_actions->findInCode, [this] {
        m_docks->show(Panel::Code);
        m_panels->code->focusFind();
    });
    on(m_actions->palette,
       [this] { m_palette->open(m_actions->all() + m_panels->partition->actions(), currentDocument()); });
    on(m_actions->selectAll, [this] { currentDocument()->selection().selectAll(); });
    on(m_actions->selectInputs, [this] { selectNeighbours(*currentDocument(), true); });
    on(m_actions->selectUsers, [this] { selectNeighbours(*currentDocument(), false); });
    on(m_actions->clearSelection, [this] { currentDocument()->selection().select({}, nullptr); });
    on(m_actions->copyNames, &MainWindow::copyNodes);
    on(m_actions->paste, [this] { m_clipboard->paste(*currentDocument()); });
    connect(QApplication::clipboard(), &QClipboard::dataChanged, this, &MainWindow::updateActions);
    on(m_actions->copyCode, [this] {
        m_panels->code->copyCode();
        notify(tr("Copied the code to the clipboard."));
    });
}

void MainWindow::connectGraphActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    using Task = CallDialog::Task;
    const std::pair<QAction*, Task> calls[] = {{m_actions->insertAfter, Task::InsertAfter},
                                               {m_actions->insertBefore, Task::InsertBefore},
                                               {m_actions->changeCall, Task::ChangeCall},
                                               {m_actions->replaceModule, Task::ReplaceModule},
                                               {m_actions->replaceModuleClass, Task::ReplaceModuleClass}};
    for (const auto& [action, task] : calls)
        on(action, [this, asked = task] { m_edits->insertOrChange(*currentDocument(), asked); });
    on(m_actions->deadCode, [this] { m_edits->removeUnused(*currentDocument()); });
    on(m_actions->expandModule, [this] { m_edits->expandModule(*currentDocument()); });
    on(m_actions->applyRecipe, [this] {
        const QString path = m_recipes->askForFile(m_settings.lastFolder());
        if (!path.isEmpty()) applyRecipe(path);
    });
    on(m_actions->compare, [this] { m_previews->compare(*currentDocument()); });
}

/// Panels ask for changes of the document in front, and actions for panels.
void MainWindow::connectPanelActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->findPattern, [this] {
        m_docks->show(Panel::Pattern);
        m_panels->pattern->takeSelection();
    });
    on(m_actions->replacePattern, [this] {
        m_docks->show(Panel::Pattern);
        m_panels->pattern->focusReplacement();
    });
    on(m_actions->partition, [this] { m_docks->show(Panel::Partition); });
    connect(m_panels->pattern, &PatternPanel::previewRequested, this,
            [this](const QString& name, const fx::StepList& steps) {
                m_previews->preview(*currentDocument(), name, steps);
            });
    const auto change = [this](const QString& name, const fx::StepList& steps) {
        currentDocument()->versions().editInBackground(name, steps);
    };
    connect(m_panels->pattern, &PatternPanel::replaceRequested, this, change);
    connect(m_panels->partition, &PartitionPanel::changeRequested, this, change);
    connect(m_palette, &CommandPalette::aboutToTrigger, this, [this](QAction* action) {
        if (m_panels->partition->actions().contains(action)) m_docks->show(Panel::Partition);
    });
    connect(m_panels->partition, &PartitionPanel::notified, this, &MainWindow::notify);
    connect(&m_docks->dock(Panel::Partition), &QDockWidget::visibilityChanged, m_panels->partition,
            &PartitionPanel::setSeen);
    connect(&m_docks->dock(Panel::Quantise), &QDockWidget::visibilityChanged, m_panels->quant, &QuantPanel::setSeen);
    connect(m_panels->changes, &ChangesPanel::compareRequested, this,
            [this] { m_previews->compare(*currentDocument()); });
    connect(m_panels->compilation, &CompilationPanel::stageChosen, this, &MainWindow::openStage);
    connect(m_panels->compilation, &CompilationPanel::failed, this,
            [this](const QString& what, const fx::Error& error) { showFailure(this, what, error); });
    connect(m_panels->timing, &TimingPanel::notified, this, &MainWindow::notify);
    for (const ResultHost* host : {m_panels->verifyHost, m_panels->historyHost})
        connect(host->card(), &ResultCard::notified, this, &MainWindow::notify);
    connect(m_panels->history, &HistoryPanel::copied, this, &MainWindow::notify);
    connect(m_panels->history, &HistoryPanel::saveRequested, this, [this](bool asScript) {
        const QPointer<Document> document = currentDocument(); // the dialog turns the event loop
        const QString path = m_recipes->askForTarget(*document, asScript, m_settings.lastFolder());
        if (document && !path.isEmpty()) m_recipes->write(*document, asScript, path);
    });
}

void MainWindow::connectViewActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    const auto onCanvas = [this, on](QAction* action, void (GraphCanvas::*slot)()) {
        on(action, [this, slot] { (currentPage()->canvas().*slot)(); });
    };
    on(m_actions->expandAll, [this] { currentDocument()->picture().expandAll(); });
    on(m_actions->collapseAll, [this] {
        currentPage()->canvas().deselectIn();
        currentDocument()->picture().collapseAll();
    });
    on(m_actions->showSource, [this](bool shown) {
        if (shown) currentPage()->focusSource();
        else currentPage()->setSourceShown(false);
    });
    onCanvas(m_actions->fit, &GraphCanvas::fit);
    onCanvas(m_actions->zoomIn, &GraphCanvas::zoomIn);
    onCanvas(m_actions->zoomOut, &GraphCanvas::zoomOut);
    onCanvas(m_actions->actualSize, &GraphCanvas::zoomToActualSize);
    onCanvas(m_actions->zoomToSelection, &GraphCanvas::zoomToSelection);
    on(m_actions->topDown, [this] { setDirection(fx::Direction::TopDown); });
    on(m_actions->leftRight, [this] { setDirection(fx::Direction::LeftRight); });
    on(m_actions->hideSelected, [this] {
        Document* document = currentDocument();
        const std::vector<fx::NodeId> nodes = document->selection().nodes();
        document->selection().select({}, nullptr);
        document->picture().hide(nodes);
    });
    on(m_actions->showAll, [this] { currentDocument()->picture().showAll(); });
    on(m_actions->openNested, [this] { m_nested->openSelected(*currentDocument()); });
    on(m_actions->nextTab, [this] { m_tabs->step(1); });
    on(m_actions->previousTab, [this] { m_tabs->step(-1); });
    on(m_actions->resetLayout, [this] { m_docks->arrange(); });
    on(m_actions->fullScreen, [this](bool full) {
        setWindowState(full ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
    });
    on(m_actions->themeSystem, [this] { chooseTheme(ThemeChoice::System); });
    on(m_actions->themeLight, [this] { chooseTheme(ThemeChoice::Light); });
    on(m_actions->themeDark, [this] { chooseTheme(ThemeChoice::Dark); });
    on(m_actions->preferences, [this] {
        auto* dialog = new PreferencesDialog(m_settings, *m_actions, this);
        connect(dialog, &PreferencesDialog::directionChosen, this, [this](fx::Direction direction) {
            setDirection(direction);
            updateActions();
        });
        dialog->open();
    });
    on(m_actions->shortcuts, [this] { showShortcuts(*m_actions, this); });
    on(m_actions->about, [this] { showAbout(this); });
    QAction* const themes[] = {m_actions->themeSystem, m_actions->themeLight, m_actions->themeDark};
    themes[static_cast<std::size_t>(m_settings.theme())]->setChecked(true);
}

void MainWindow::chooseTheme(ThemeChoice choice) {
    m_settings.setTheme(choice);
    applyTheme(*qApp, choice);
}

void MainWindow::setDirection(fx::Direction direction) {
    m_settings.setDirection(direction);
    if (Document* document = currentDocument()) document->picture().setDirection(direction);
}

void MainWindow::copyNodes() {
    try {
        m_clipboard->copy(*currentDocument());
    } catch (const fx::Error& error) { return m_edits->tellRefusal(*currentDocument(), error); }
    const std::size_t count = currentDocument()->selection().nodes().size();
    notify(count == 1
               ? tr("Copied 1 node with its modules and weights; it pastes as its name in other programs.")
               : tr("Copied %1 nodes with their modules and weights; they paste as their names in other programs.")
                     .arg(count));
    updateActions();
}

} // namespace ui
