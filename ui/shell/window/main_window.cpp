// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/main_window.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/changes/changes_panel.h"
#include "ui/code/code_panel.h"
#include "ui/history/history_panel.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/result/result_host.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_panel.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/dock_title.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/legend_panel.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/operations/previews.h"
#include "ui/shell/operations/recipes.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/problems_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/timing/timing_panel.h"
#include "ui/values/values_panel.h"

#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QMenuBar>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {
constexpr int kLeastBeside = 200; ///< px that a panel needs
constexpr QSize kLeastBelow{320, 120};
constexpr int kStateVersion = 4; // counts up when docks change, so that an old arrangement is not forced on new ones
} // namespace

MainWindow::MainWindow(Settings& settings, QWidget* parent)
    : QMainWindow(parent), m_settings(settings), m_actions(new WindowActions(this)),
      m_panelsMenu(new QMenu(tr("&Panels"), this)) {
    setWindowTitle(tr("Lancet"));
    setAcceptDrops(true);
    setDockOptions(AllowTabbedDocks | AllowNestedDocks | GroupedDragging);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    makeCentre();
    makeRun();
    makeOperations();
    makePanels();
    m_actions->fillMenus(menuBar(), m_panelsMenu);
    auto* bar = addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setIconSize(QSize(16, 16));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_actions->fillToolBar(bar);
    makeStatusBar();
    m_palette = new CommandPalette(this);
    m_clipboard = new NodeClipboard(this);
    connectFileActions();
    connectEditActions();
    connectChangeActions();
    connectViewActions();
    connectRunActions();
    restoreWindow();
    m_welcome->setRecentFiles(m_settings.recentFiles());
    switchPage();
}

/// The parts outlive what is a MainWindow in this object, and signal as they end.
MainWindow::~MainWindow() {
    for (QObject* part : findChildren<QObject*>()) part->disconnect(this);
}

void MainWindow::makeCentre() {
    m_centre = new QStackedWidget(this);
    m_welcome = new WelcomePage(m_centre);
    m_tabs = new QTabWidget(m_centre);
    m_tabs->setObjectName(QStringLiteral("documents"));
    m_tabs->setDocumentMode(true);
    m_tabs->setTabsClosable(true);
    m_tabs->setMovable(true);
    m_tabs->setElideMode(Qt::ElideMiddle);
    m_tabs->setAccessibleName(tr("Open files"));
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
    connect(m_welcome, &WelcomePage::fileChosen, this, &MainWindow::openFile);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::switchPage);
    connect(m_tabs, &QTabWidget::tabCloseRequested, this,
            [this](int index) { closePages({&static_cast<DocumentPage*>(m_tabs->widget(index))->document()}); });
    connect(m_findBar, &FindBar::closed, this, &MainWindow::closeFind);
    connect(m_findBar, &FindBar::searched, this, &MainWindow::updateActions);
}

QDockWidget* MainWindow::addPanel(const QString& name, const QString& title, QWidget* panel, Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    area == Qt::BottomDockWidgetArea ? panel->setMinimumSize(kLeastBelow)
                                     : panel->setMinimumWidth(kLeastBeside); // what they show moves no border
    dock->setWidget(panel);
    dock->setTitleBarWidget(new DockTitle(dock));
    // Docks below each other add up to more than a screen, and the window would grow to hold them: they start as tabs.
    const auto beside =
        std::find_if(m_docks.begin(), m_docks.end(), [&](QDockWidget* each) { return dockWidgetArea(each) == area; });
    beside == m_docks.end() ? addDockWidget(area, dock) : tabifyDockWidget(*beside, dock);
    m_docks << dock;
    QAction* action = makePanelAction(*dock);
    action->setProperty("needs", 0);
    m_actions->adopt(action, {}, QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + m_docks.size())));
    m_panelsMenu->addAction(action);
    for (auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
        connect(dock, signal, this, &MainWindow::updateDockTitles, Qt::QueuedConnection);
    connect(dock, &QDockWidget::dockLocationChanged, this, &MainWindow::updateDockTitles, Qt::QueuedConnection);
    return dock;
}

void MainWindow::makePanels() {
    m_modules = new ModulesPanel(this);
    m_nodes = new NodesPanel(NodesPanel::Look::List, this);
    m_legend = new LegendPanel(this);
    m_code = new CodePanel(this);
    m_table = new NodesPanel(NodesPanel::Look::Table, this);
    m_problems = new ProblemsPanel(this);
    m_inspector = new InspectorPanel(this);
    m_modulesDock = addPanel(QStringLiteral("modules"), tr("Modules"), m_modules, Qt::LeftDockWidgetArea);
    m_nodesDock = addPanel(QStringLiteral("nodes"), tr("Nodes"), m_nodes, Qt::LeftDockWidgetArea);
    m_legendDock = addPanel(QStringLiteral("legend"), tr("Legend and map"), m_legend, Qt::LeftDockWidgetArea);
    m_inspectorDock = addPanel(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);
    m_codeDock = addPanel(QStringLiteral("code"), tr("Code"), m_code, Qt::BottomDockWidgetArea);
    m_tableDock = addPanel(QStringLiteral("table"), tr("Table"), m_table, Qt::BottomDockWidgetArea);
    m_problemsDock = addPanel(QStringLiteral("problems"), tr("Problems"), m_problems, Qt::BottomDockWidgetArea);
    m_pattern = new PatternPanel(this);
    m_changes = new ChangesPanel(this);
    m_history = new HistoryPanel(this);
    m_historyHost = new ResultHost(m_history, this);
    m_verifyHost = new ResultHost(m_run->verifyPanel(), this);
    m_patternDock = addPanel(QStringLiteral("pattern"), tr("Pattern"), m_pattern, Qt::RightDockWidgetArea);
    m_changesDock = addPanel(QStringLiteral("changes"), tr("Changes"), m_changes, Qt::RightDockWidgetArea);
    m_historyDock = addPanel(QStringLiteral("history"), tr("History"), m_historyHost, Qt::RightDockWidgetArea);
    m_partition = new PartitionPanel(this);
    m_partitionDock = addPanel(QStringLiteral("partition"), tr("Partition"), m_partition, Qt::RightDockWidgetArea);
    connect(m_partitionDock, &QDockWidget::visibilityChanged, m_partition, &PartitionPanel::setSeen);
    connect(m_partition, &PartitionPanel::stylesChanged, this, &MainWindow::showMatches);
    connect(m_partition, &PartitionPanel::notified, this, &MainWindow::notify);
    connect(m_partition, &PartitionPanel::changeRequested, this,
            [this](const QString& name, const QByteArray& steps) { currentDocument()->editInBackground(name, steps); });
    m_verifyDock = addPanel(QStringLiteral("verify"), tr("Verify"), m_verifyHost, Qt::BottomDockWidgetArea);
    makeTiming();
    makeResults();
    m_values = new ValuesPanel(m_run->worker(), this);
    m_valuesDock = addPanel(QStringLiteral("values"), tr("Values"), m_values, Qt::BottomDockWidgetArea);
    connect(m_values, &ValuesPanel::inputsRequested, m_run, &RunCenter::editInputs);
    connect(m_pattern, &PatternPanel::matchesChanged, this, &MainWindow::showMatches);
    connect(m_pattern, &PatternPanel::previewRequested, this, [this](const QString& name, const QByteArray& steps) {
        m_previews->preview(*currentDocument(), name, steps);
    });
    connect(m_pattern, &PatternPanel::replaceRequested, this,
            [this](const QString& name, const QByteArray& steps) { currentDocument()->editInBackground(name, steps); });
    connect(m_legendDock, &QDockWidget::visibilityChanged, this, &MainWindow::showMatches,
            Qt::QueuedConnection); // the canvas has the legend meanwhile
    connect(m_changes, &ChangesPanel::compareRequested, this, [this] { m_previews->compare(*currentDocument()); });
    connect(m_history, &HistoryPanel::copied, this, &MainWindow::notify);
    connect(m_history, &HistoryPanel::saveRequested, this, [this](bool asScript) {
        Document& document = *currentDocument();
        const QString path = m_recipes->askForTarget(document, asScript, m_settings.lastFolder());
        if (!path.isEmpty()) m_recipes->write(document, asScript, path);
    });
    m_table->restoreColumns(m_settings.tableColumns());
}

/// The arrangement of the first start and of "Reset panels".
void MainWindow::arrangePanels() {
    const QSize asked = size(); // docks that are not yet tabs need more, and make the window grow
    for (QDockWidget* dock : std::as_const(m_docks)) {
        dock->setFloating(false);
        dock->show();
    }
    const auto stack = [this](Qt::DockWidgetArea area, const QList<QDockWidget*>& docks) {
        addDockWidget(area, docks.front());
        for (qsizetype i = 1; i < docks.size(); ++i) tabifyDockWidget(docks[i - 1], docks[i]);
    };
    addDockWidget(Qt::LeftDockWidgetArea, m_modulesDock);
    splitDockWidget(m_modulesDock, m_legendDock, Qt::Vertical); // before it has tabs: else this would be one more
    tabifyDockWidget(m_modulesDock, m_nodesDock);
    stack(Qt::RightDockWidgetArea, {m_inspectorDock, m_patternDock, m_partitionDock, m_changesDock, m_historyDock});
    stack(Qt::BottomDockWidgetArea,
          {m_codeDock, m_tableDock, m_problemsDock, m_verifyDock, m_timingDock, m_valuesDock});
    m_modulesDock->raise();
    m_inspectorDock->raise();
    m_codeDock->raise();
    m_sizesPanels = !isVisible(); // before it is shown, its layout knows no sizes to divide
    isVisible() ? sizePanels(asked) : resize(asked);
}

/// Divides the window, which gets the size that it was to have.
void MainWindow::sizePanels(const QSize& asked) {
    m_sizesPanels = false;
    updateDockTitles();
    layout()->invalidate(); // what it needs is less since docks have become tabs
    layout()->activate();
    if (!isMaximized() && !isFullScreen()) resize(asked);
    const bool wide = width() >= 1440;
    resizeDocks({m_modulesDock, m_inspectorDock}, {wide ? 262 : 220, wide ? 360 : 330}, Qt::Horizontal);
    resizeDocks({m_codeDock}, {height() * 3 / 10}, Qt::Vertical);
    resizeDocks({m_modulesDock, m_legendDock}, {height() - 380, 240}, Qt::Vertical);
    layout()->invalidate();
    layout()->activate(); // now, not with the next event
}

/// All panels are there now, and the native window is not yet: it never has another size. One that fills the screen
/// gets its size next.
void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (m_sizesPanels && !isMaximized() && !isFullScreen()) sizePanels(m_asked);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (m_sizesPanels && isVisible() && (isMaximized() || isFullScreen())) sizePanels(size());
}

/// A dock among tabs has its title on the tab; only one that stands alone or floats shows a bar of its own.
void MainWindow::updateDockTitles() {
    for (QDockWidget* dock : std::as_const(m_docks)) {
        const bool tabbed = !dock->isFloating() && !tabifiedDockWidgets(dock).isEmpty();
        static_cast<DockTitle*>(dock->titleBarWidget())->setTabbed(tabbed);
    }
    const auto bars = findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    for (QTabBar* bar : bars) {
        bar->setExpanding(false);
        bar->setDrawBase(false);
        bar->setDocumentMode(true);
        bar->setAccessibleName(tr("Panels"));
    }
}

void MainWindow::makeStatusBar() {
    m_fileLabel = new QLabel(this);
    m_countLabel = new QLabel(this);
    m_pictureLabel = new QLabel(this);
    m_fileLabel->setFont(semiboldFont());
    for (QLabel* label : {m_fileLabel, m_countLabel, m_pictureLabel}) {
        label->setTextFormat(Qt::PlainText);
        label->setContentsMargins(8, 2, 8, 2);
    }
    m_pictureLabel->setProperty("role", "muted");
    statusBar()->addWidget(m_fileLabel);
    statusBar()->addWidget(m_countLabel);
    m_busy = new BusyBar(this);
    statusBar()->addPermanentWidget(m_busy);
    statusBar()->addPermanentWidget(m_pictureLabel);
    statusBar()->addPermanentWidget(m_run->verifyChip());
    statusBar()->addPermanentWidget(m_run->workerButton());
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::restoreWindow() {
    const QByteArray geometry = m_settings.windowGeometry();
    if (geometry.isEmpty() || !restoreGeometry(geometry)) resize(QSize(1440, 900).boundedTo(screen()->availableSize()));
    if (!restoreState(m_settings.windowState(), kStateVersion)) arrangePanels();
    updateDockTitles();
}

/// Qt's own menu would close panels that are behind another one.
QMenu* MainWindow::createPopupMenu() {
    auto* menu = new QMenu(this);
    menu->addActions(m_panelsMenu->actions());
    menu->addSeparator();
    for (QToolBar* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly))
        menu->addAction(bar->toggleViewAction());
    return menu;
}

void MainWindow::notify(const QString& text) { statusBar()->showMessage(text, 5000); }

/// While it is first shown the window grows, because docks are not yet tabs.
void MainWindow::setVisible(bool visible) {
    if (visible && !m_asked.isValid()) m_asked = size();
    QMainWindow::setVisible(visible);
}

void MainWindow::keepSettings() {
    m_pattern->keepChoices();
    m_settings.setWindow(saveGeometry(), saveState(kStateVersion));
    m_settings.setPanel(QStringLiteral("timing"), m_timing->remembered());
    m_settings.setTableColumns(m_table->columnState());
}

} // namespace ui
