// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/main_window.h"

#include "core/remote/script_message.h"
#include "ui/changes/changes_panel.h"
#include "ui/document/source_problems.h"
#include "ui/history/history_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/passes/pass_engine.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/result/error_map.h"
#include "ui/run/run_center.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/operations/previews.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/name_warning.h"
#include "ui/shell/saving/save_center.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/shell/window/canvas_colours.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/dropped_files.h"
#include "ui/shell/window/graph_edits.h"
#include "ui/shell/window/model_actions.h"
#include "ui/shell/window/nested_graphs.h"
#include "ui/shell/window/node_menus.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window/partition_timing.h"
#include "ui/shell/window/pass_actions.h"
#include "ui/shell/window/picture_actions.h"
#include "ui/shell/window/run_panels.h"
#include "ui/shell/window/selection_actions.h"
#include "ui/shell/window/status_line.h"
#include "ui/timing/timing_panel.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/screen_fit.h"
#include "ui/widgets/undo_keys.h"
#include "ui/widgets/wheel_guard.h"

#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr QSize kFrame{16, 48}; // what a desktop adds to a window at most
} // namespace

MainWindow::MainWindow(Settings& settings, std::shared_ptr<fx::SourceReader> python, QWidget* parent)
    : QMainWindow(parent), m_settings(settings), m_readers{std::move(python)}, m_actions(new WindowActions(this)),
      m_message(new StatusMessage(*statusBar())) {
    setWindowTitle(tr("Lancet"));
    setAcceptDrops(true);
    qApp->installEventFilter(new UndoKeys(this));
    qApp->installEventFilter(new WheelGuard(this));
    qApp->installEventFilter(new ScreenFit(this));
    setDockOptions(AllowTabbedDocks | AllowNestedDocks | GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    makeCentre();
    makeRun();
    makeOperations();
    makePanels();
    makeBars();
    m_palette = new CommandPalette(this);
    m_clipboard = new NodeClipboard(this);
    m_nested =
        new NestedGraphs([this](std::shared_ptr<const fx::GraphModule> module, const QString& title,
                                std::string inputs) { return openModule(std::move(module), title, std::move(inputs)); },
                         this);
    m_dropped = new DroppedFiles(m_current, this);
    connect(m_dropped, &DroppedFiles::fileChosen, this, &MainWindow::openFile);
    connect(m_dropped, &DroppedFiles::recipeChosen, this, &MainWindow::applyRecipe);
    connect(m_dropped, &DroppedFiles::notified, this, &MainWindow::notify);
    connectFileActions();
    connectEditActions();
    connectGraphActions();
    connectPanelActions();
    connectViewActions();
    const QByteArray geometry = m_settings.windowGeometry();
    if (geometry.isEmpty() || !restoreGeometry(geometry))
        resize(QSize(1440, 900).boundedTo(screen()->availableSize() - kFrame));
    m_docks->restore(m_settings.windowState());
    m_welcome->setRecentFiles(m_settings.recentFiles());
    switchPage();
}

/// The parts outlive what is a MainWindow in this object, and signal as they end. Some react to panels and tabs, which
/// go one by one.
MainWindow::~MainWindow() {
    for (QObject* part : findChildren<QObject*>()) part->disconnect(this);
    delete m_colours;
    delete m_passes;
    delete m_runPanels;
    delete m_menus;
}

void MainWindow::makeCentre() {
    m_centre = new QStackedWidget(this);
    m_welcome = new WelcomePage(m_centre);
    m_tabs = new DocumentTabs(m_centre);
    m_centre->addWidget(m_welcome);
    m_centre->addWidget(m_tabs);
    m_findBar = new FindBar(m_centre);
    m_centre->installEventFilter(this);
    auto* middle = new QWidget(this); // with room above for what `offerRecovery` shows
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_centre, 1);
    setCentralWidget(middle);
    connect(m_welcome, &WelcomePage::openRequested, this, &MainWindow::openDialog);
    connect(m_welcome, &WelcomePage::newRequested, this, &MainWindow::newSource);
    connect(m_welcome, &WelcomePage::fileChosen, this, &MainWindow::openFile);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::switchPage);
    connect(m_tabs, &DocumentTabs::closeRequested, this, &MainWindow::closePages);
    connect(m_findBar, &FindBar::closed, this, &MainWindow::closeFind);
    connect(m_findBar, &FindBar::searched, this, &MainWindow::updateActions);
}

void MainWindow::makeRun() {
    RunMemory memory{[this](const QString& path) { return m_settings.runOf(path); },
                     [this](const QString& path, const QByteArray& json) { m_settings.setRunOf(path, json); }};
    m_calls = std::make_shared<fx::SourceCalls>(fx::Readers{m_readers.python}); // the worker waits for the result
    m_run = new RunCenter(m_settings.worker(), std::move(memory), this, completeCalls());
    connect(m_run, &RunCenter::notified, this, &MainWindow::notify);
    connect(m_run, &RunCenter::settingsChanged, this,
            [this](const WorkerSettings& settings) { m_settings.setWorker(settings); });
    // Scripts are described on this machine, with the operators of the worker if that is here, too.
    const auto localScripts = [this] { return fx::remote::scriptsByWorker(m_run->worker().settings().localOptions()); };
    m_readers.script = localScripts();
    m_readers.engine = [worker = QPointer(&m_run->worker())](const fx::Progress& progress) {
        return std::make_unique<PassEngine>(worker, fx::InputDescription(), fx::Tolerances(), progress);
    };
    connect(&m_run->worker(), &WorkerService::settingsChanged, this, [this, localScripts] {
        m_readers.script = localScripts();
        for (Document* document : m_tabs->documents()) document->setReaders(m_readers);
        if (m_recovery) m_recovery->setReaders(m_readers);
    });
}

/// Makes what the worker gets for a model. Any thread.
fx::remote::CompleteModel MainWindow::completeCalls() {
    return [this, calls = m_calls](const auto& model, const fx::Progress& progress) {
        auto completed = calls->completed(model, progress);
        const std::size_t count = fx::tracedCalls(*model, *completed);
        QMetaObject::invokeMethod(this, [this, count] {
            if (std::exchange(m_tracedCalls, count) != count && count > 0)
                m_message->show(fromCore(fx::Message("call.traced", {{"count", count}}).text()));
        });
        return completed;
    };
}

void MainWindow::makeOperations() {
    SaveHost host;
    host.window = this;
    host.documents = [this] { return m_tabs->documents(); };
    host.view = [this](const Document& document) { return m_tabs->pageOf(document)->view(); };
    host.inputs = [this](const Document& document) {
        const RunSession* session = m_run->sessionOf(document);
        return session ? session->inputsToKeep() : std::string();
    };
    host.tried = [this](const Document& document) {
        const RunSession* session = m_run->sessionOf(document);
        const bool fits = session && session->missing().isEmpty() && !session->guessDoesNotFit();
        return fits ? session->inputs() : fx::InputDescription();
    };
    host.worker = [this] {
        fx::remote::WorkerOptions options = m_run->worker().settings().localOptions();
        options.complete = completeCalls();
        return options;
    };
    host.folder = [this] { return m_settings.lastFolder(); };
    m_saves = new SaveCenter(std::move(host));
    m_previews = new Previews(*m_run, this);
    m_recipes = new Recipes(this);
    m_edits = new GraphEdits(m_settings, *m_previews, this);
    m_busy = new BusyBar(this);
    connect(m_saves, &SaveCenter::notified, this,
            [this](const QString& text) { m_message->show(text, StatusMessage::Subject::Saving); });
    connect(m_saves, &SaveCenter::saved, this, [this](const QString& path) {
        if (!path.endsWith(u'/')) m_settings.addRecentFile(path);
    });
    connect(m_edits, &GraphEdits::notified, this, &MainWindow::notify);
    connect(m_recipes, &Recipes::notified, this, &MainWindow::notify);
    connect(m_recipes, &Recipes::stepsRead, m_previews,
            [this](Document& document, const QString& name, const fx::StepList& steps) {
                m_previews->preview(document, name, steps);
            });
}

/// Panels first, then what shows runs: its parts may ask what the panels show.
void MainWindow::makePanels() {
    m_current.subscribe(m_busy);
    connect(&m_current, &CurrentDocument::changed, m_saves, &SaveCenter::setInFront);
    m_panels = std::unique_ptr<Panels>(new Panels{m_current, *m_run, this});
    m_docks = new PanelDocks(*this, *m_actions, *m_panels);
    m_current.subscribe(m_run);
    m_current.subscribe(m_findBar);
    m_runPanels = new RunPanels(*m_actions, *m_panels, *m_docks, m_settings, this);
    m_colours = new CanvasColours(*m_actions, *m_panels, *m_docks, *m_tabs, m_runPanels->errors());
    m_menus = new NodeMenus(*m_actions, *m_panels, *m_edits, this);
    m_passes = new PassActions(*m_actions, *m_panels, *m_docks, *m_tabs, this);
    auto* models = new ModelActions(*m_actions, m_current, m_settings, this);
    connect(m_passes, &PassActions::moduleMade, this, &MainWindow::openModule);
    connect(models, &ModelActions::moduleMade, this, &MainWindow::openModule);
    connect(m_menus, &NodeMenus::modeRequested, models,
            qOverload<Document&, const QString&, bool>(&ModelActions::setTraining));
    connect(m_passes, &PassActions::notified, this, &MainWindow::notify);
    m_pictures = new PictureActions(*m_actions, *m_tabs, *m_colours, m_settings, *m_saves, this);
    m_panels->table->restoreColumns(m_settings.tableColumns());
    m_panels->partition->setTimer(partitionTimer(*m_run, m_panels->partition));
    connect(m_run, &RunCenter::inputsChanged, this, &dropTimes);
    connect(m_runPanels, &RunPanels::verdictChanged, this, [this] { m_tabs->showTitles(*m_run); });
    connect(m_colours, &CanvasColours::choicesChanged, this, &MainWindow::updateActions);
    connect(m_pictures, &PictureActions::notified, this, &MainWindow::notify);
    connect(&m_current, &CurrentDocument::updated, this, &MainWindow::updateActions);
    connect(&m_current, &CurrentDocument::versionChanged, this, &MainWindow::showVersion);
}

void MainWindow::makeBars() {
    m_actions->fillMenus(menuBar(), m_docks->menu());
    auto* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setIconSize(QSize(16, 16));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_actions->fillToolBar(bar);
    statusBar()->addPermanentWidget(m_busy);
    m_status = new StatusLine(*statusBar(), m_current);
    statusBar()->addPermanentWidget(m_run->verifyChip());
    statusBar()->addPermanentWidget(m_run->workerButton());
    statusBar()->setSizeGripEnabled(false);
}

/// What can be done now follows from what is open, selected and found.
void MainWindow::updateActions() {
    Document* document = currentDocument();
    const bool ready = m_current.ready() != nullptr;
    Needs there = needsMetBy(document);
    there.setFlag(Need::Copied, ready && m_clipboard->holdsNodes());
    there.setFlag(Need::FreeColours, !m_panels->partition->colours());
    there.setFlag(Need::Timed, ready && !m_panels->timing->heat().empty());
    there.setFlag(Need::Compared, ready && (!m_runPanels->errors().empty() || m_actions->errorMap->isChecked()));
    there.setFlag(Need::Found, !m_findBar->found().empty());
    if (document)
        (document->picture().direction() == fx::Direction::LeftRight ? m_actions->leftRight : m_actions->topDown)
            ->setChecked(true);
    m_actions->showSource->setChecked(currentPage() && currentPage()->isSourceShown());
    m_actions->setAvailable(there);
    m_actions->warnNames->setChecked(document && warnsAboutNames(*document));
    m_actions->modelsMenu->menuAction()->setVisible(document && document->module() &&
                                                    document->module()->modelNames.size() > 1);
    m_docks->setCount(Panel::Nodes, ready ? static_cast<qsizetype>(document->module()->graph.size()) : 0);
    m_docks->setCount(Panel::Problems, ready ? problemCount(allProblems(*document)) : 0);
    m_status->update();
}

/// The undo stack, the tab and the actions follow the version that is shown.
void MainWindow::showVersion() {
    Document* document = currentDocument();
    const fx::History* history = document ? document->versions().history() : nullptr;
    const auto named = [&](const QString& action, bool there, std::size_t entry) {
        return there ? action + u' ' + fromCore(history->entries()[entry].name) : action;
    };
    m_actions->undo->setText(named(tr("&Undo"), history && history->canUndo(), history ? history->current() : 0));
    m_actions->redo->setText(named(tr("Re&do"), history && history->canRedo(), history ? history->current() + 1 : 0));
    m_tabs->showTitles(*m_run);
    QString title = document ? document->file().titleWithGraph(document->module().get()) : QString();
    title.replace(QLatin1String("[*]"), QLatin1String("[*][*]")); // else it is where the mark stands
    setWindowTitle(document ? tr("%1[*] – Lancet").arg(title) : tr("Lancet"));
    const bool modified = document && document->isModified();
    setWindowModified(modified);
    if (modified && m_message->isAbout(StatusMessage::Subject::Saving)) m_message->clear(); // no longer true
    updateActions();
}

/// The find bar floats over the upper right corner of the page, so that opening it moves nothing.
void MainWindow::placeFindBar() {
    const int top = m_tabs->tabBar()->height() + 8;
    const int width = std::min(std::max(560, m_findBar->sizeHint().width()), m_centre->width() - 24);
    m_findBar->setGeometry(m_centre->width() - width - 12, top, width, m_findBar->sizeHint().height());
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_centre && event->type() == QEvent::Resize) placeFindBar();
    return QMainWindow::eventFilter(watched, event);
}

/// Qt's own menu would close panels that are behind another one.
QMenu* MainWindow::createPopupMenu() {
    auto* menu = new QMenu(this);
    menu->addActions(m_docks->menu()->actions());
    menu->addSeparator();
    for (QToolBar* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
        menu->addAction(bar->toggleViewAction());
    return menu;
}

void MainWindow::setVisible(bool visible) {
    if (visible) m_docks->windowWillShow();
    QMainWindow::setVisible(visible);
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    m_docks->windowShown();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_docks->windowResized();
}

} // namespace ui
