// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/main_window.h"

#include "core/inputs/nested_inputs.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_panel.h"
#include "ui/document/node_facts.h"
#include "ui/partition/partition_panel.h"
#include "ui/result/error_map.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/help_dialogs.h"
#include "ui/shell/operations/picture_exports.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/saving/name_warning.h"
#include "ui/shell/settings.h"
#include "ui/timing/timing_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QMenu>
#include <QTabWidget>

namespace ui {

void MainWindow::connectFileActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->open, &MainWindow::openDialog);
    on(m_actions->reload, [this] {
        if (Document* document = currentDocument(); document && !document->path().isEmpty()) reload(*document);
    });
    on(m_actions->exportPng, [this] { exportAs(ExportKind::Png); });
    on(m_actions->exportSvg, [this] { exportAs(ExportKind::Svg); });
    on(m_actions->exportPdf, [this] { exportAs(ExportKind::Pdf); });
    on(m_actions->exportDot, [this] { exportAs(ExportKind::Dot); });
    on(m_actions->exportCode, [this] { exportAs(ExportKind::Code); });
    on(m_actions->closeTab, [this] {
        if (Document* document = currentDocument()) closePages({document});
    });
    on(m_actions->closeAll, [this] { closePages(documents()); });
    on(m_actions->quit, &MainWindow::close);
    connect(m_actions->recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
    connect(m_actions->modelsMenu, &QMenu::aboutToShow, this, &MainWindow::fillModelsMenu);
    fillSamplesMenu();
}

void MainWindow::connectEditActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(m_actions->find, &MainWindow::openFind);
    on(m_actions->findNext, [this] { m_findBar->next(); });
    on(m_actions->findPrevious, [this] { m_findBar->previous(); });
    on(m_actions->findInCode, [this] {
        showPanel(*m_codeDock);
        m_code->focusFind();
    });
    on(m_actions->palette, [this] { m_palette->open(m_actions->all() + m_partition->actions(), currentDocument()); });
    on(m_actions->selectAll, [this] { currentDocument()->selectAll(); });
    on(m_actions->selectInputs, [this] { selectNeighbours(true); });
    on(m_actions->selectUsers, [this] { selectNeighbours(false); });
    on(m_actions->clearSelection, [this] { currentDocument()->select({}, nullptr); });
    on(m_actions->copyNames, &MainWindow::copyNames);
    on(m_actions->paste, [this] { m_clipboard->paste(*currentDocument()); });
    connect(QApplication::clipboard(), &QClipboard::dataChanged, this, &MainWindow::updateActions);
    on(m_actions->copyCode, [this] {
        m_code->copyCode();
        notify(tr("Copied the code to the clipboard."));
    });
    on(m_actions->copyPicture, [this] { m_exports->copy(*currentDocument(), exportRequest(ExportKind::Png)); });
}

void MainWindow::connectViewActions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    const auto onCanvas = [this, on](QAction* action, void (GraphCanvas::*slot)()) {
        on(action, [this, slot] { (currentPage()->canvas().*slot)(); });
    };
    on(m_actions->expandAll, [this] { currentDocument()->picture().expandAll(); });
    on(m_actions->collapseAll, [this] { currentDocument()->picture().collapseAll(); });
    onCanvas(m_actions->fit, &GraphCanvas::fit);
    onCanvas(m_actions->zoomIn, &GraphCanvas::zoomIn);
    onCanvas(m_actions->zoomOut, &GraphCanvas::zoomOut);
    onCanvas(m_actions->actualSize, &GraphCanvas::zoomToActualSize);
    onCanvas(m_actions->zoomToSelection, &GraphCanvas::zoomToSelection);
    on(m_actions->topDown, [this] { setDirection(fx::Direction::TopDown); });
    on(m_actions->leftRight, [this] { setDirection(fx::Direction::LeftRight); });
    on(m_actions->hideSelected, [this] {
        Document* document = currentDocument();
        const std::vector<fx::NodeId> nodes = document->selection();
        document->select({}, nullptr);
        document->picture().hide(nodes);
    });
    on(m_actions->showAll, [this] { currentDocument()->picture().showAll(); });
    on(m_actions->openNested, &MainWindow::openNested);
    on(m_actions->nextTab, [this] { m_tabs->setCurrentIndex((m_tabs->currentIndex() + 1) % m_tabs->count()); });
    on(m_actions->previousTab,
       [this] { m_tabs->setCurrentIndex((m_tabs->currentIndex() + m_tabs->count() - 1) % m_tabs->count()); });
    on(m_actions->resetLayout, &MainWindow::arrangePanels);
    on(m_actions->fullScreen, [this](bool full) {
        setWindowState(full ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen);
    });
    on(m_actions->themeSystem, [this] { chooseTheme(ThemeChoice::System); });
    on(m_actions->themeLight, [this] { chooseTheme(ThemeChoice::Light); });
    on(m_actions->themeDark, [this] { chooseTheme(ThemeChoice::Dark); });
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

/// What can be done now follows from what is open, selected and found.
void MainWindow::updateActions() {
    Needs there;
    Document* document = currentDocument();
    if (document) {
        there |= Need::Tab;
        const bool ready = document->state() == Document::State::Ready;
        there.setFlag(Need::File, ready);
        there.setFlag(Need::Picture, ready && document->picture().scene());
        there.setFlag(Need::Code, ready && document->code());
        there.setFlag(Need::Selection, ready && !document->selection().empty());
        const bool one = ready && document->selection().size() == 1;
        const fx::Op op = one ? document->module()->graph.node(document->selection().front()).op() : fx::Op::Output;
        there.setFlag(Need::OneSelected, one);
        there.setFlag(Need::Copied, m_clipboard->holdsNodes());
        there.setFlag(Need::OneModule, one && op == fx::Op::CallModule);
        there.setFlag(Need::OneCall,
                      one && (op == fx::Op::CallModule || op == fx::Op::CallFunction || op == fx::Op::CallMethod));
        there.setFlag(Need::Hidden, ready && !document->picture().options().hidden.empty());
        there.setFlag(Need::Undo, ready && document->history() && document->history()->canUndo());
        there.setFlag(Need::Timed, ready && !m_timing->heat().empty());
        there.setFlag(Need::Compared, ready && (!m_errors->empty() || m_actions->errorMap->isChecked()));
        there.setFlag(Need::Redo, ready && document->history() && document->history()->canRedo());
        there.setFlag(Need::Found, !m_findBar->found().empty());
        there.setFlag(Need::OneNode, ready && nestedGraph() != nullptr);
        const bool leftRight = document->picture().direction() == fx::Direction::LeftRight;
        (leftRight ? m_actions->leftRight : m_actions->topDown)->setChecked(true);
    }
    m_actions->setAvailable(there);
    m_actions->warnNames->setChecked(document && warnsAboutNames(*document));
    m_actions->modelsMenu->menuAction()->setVisible(document && document->module() &&
                                                    document->module()->modelNames.size() > 1);
}

void MainWindow::selectNeighbours(bool inputs) {
    Document* document = currentDocument();
    const fx::Graph& graph = document->module()->graph;
    std::vector<fx::NodeId> nodes = document->selection();
    std::vector<char> taken(graph.idLimit(), 0);
    for (const fx::NodeId node : nodes) taken[fx::index(node)] = 1;
    const auto take = [&](fx::NodeId node) {
        if (!std::exchange(taken[fx::index(node)], 1)) nodes.push_back(node);
    };
    for (const fx::NodeId node : document->selection()) {
        if (inputs)
            for (const fx::NodeId input : graph.node(node).inputs()) take(input);
        else
            for (const fx::NodeId user : graph.node(node).users()) take(user);
    }
    document->select(std::move(nodes), nullptr);
}

/// The graph behind the selected node: of a higher-order operator's get_attr, or of a module that is a GraphModule
/// itself.
std::shared_ptr<const fx::GraphModule> MainWindow::nestedGraph() const {
    const Document* document = currentDocument();
    if (!document || document->state() != Document::State::Ready || document->selection().size() != 1) return nullptr;
    const fx::GraphModule& module = *document->module();
    const fx::Node& node = module.graph.node(document->selection().front());
    if (node.op() != fx::Op::GetAttr && node.op() != fx::Op::CallModule) return nullptr;
    for (const auto& [name, graph] : module.subgraphs)
        if (name == node.target()) return graph;
    const fx::PathTarget target = fx::resolvePath(*module.root, node.target());
    return target.module ? target.module->graphModule : nullptr;
}

void MainWindow::openNested() {
    if (const auto graph = nestedGraph()) {
        Document* document = currentDocument();
        const fx::NodeId node = document->selection().front();
        const QString place = elided(document->module()->graph.node(node).target(), 60);
        document->operations().start<std::string>(
            DocumentOperations::Kind::Open, {tr("Opening %1").arg(place), tr("Could not open %1").arg(place)},
            [model = document->shown(), node, graph](const fx::Progress&) {
                const auto inputs = fx::nestedInputs(*model, model->graph.node(node), *graph);
                return inputs ? fx::inputsJson(*inputs) : std::string();
            },
            [this, graph, title = document->title() + QStringLiteral(" › ") + place](std::string inputs) {
                openModule(graph, title, std::move(inputs));
            });
    }
}

void MainWindow::copyNames() {
    try {
        m_clipboard->copy(*currentDocument());
    } catch (const fx::Error& error) { return tellRefusal(error); }
    const std::size_t count = currentDocument()->selection().size();
    notify(count == 1
               ? tr("Copied 1 node with its modules and weights; it pastes as its name in other programs.")
               : tr("Copied %1 nodes with their modules and weights; they paste as their names in other programs.")
                     .arg(count));
    updateActions();
}

} // namespace ui
