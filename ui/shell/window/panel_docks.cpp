// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/panel_docks.h"

#include "ui/shell/dock_title.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/panel_room.h"
#include "ui/shell/window_actions.h"

#include <QDockWidget>
#include <QEvent>
#include <QLayout>
#include <QLocale>
#include <QMainWindow>
#include <QMenu>
#include <QTabBar>

#include <algorithm>
#include <utility>

namespace ui {

namespace {
/// How small docks may get, in px: those on the right have fields beside each other.
constexpr QSize kLeastLeft{150, 80}, kLeastRight{240, 80}, kLeastBelow{240, 60};
QSize leastIn(Qt::DockWidgetArea area) {
    return area == Qt::BottomDockWidgetArea ? kLeastBelow : area == Qt::RightDockWidgetArea ? kLeastRight : kLeastLeft;
}
constexpr QSize kAllFit{1000, 600}; // px: in a smaller window, docks on all sides would leave no room for the graph
bool isSmall(const QSize& window) { return window.width() < kAllFit.width() || window.height() < kAllFit.height(); }
} // namespace

PanelDocks::PanelDocks(QMainWindow& window, WindowActions& actions, Panels& panels)
    : QObject(&window), m_window(window), m_menu(new QMenu(tr("&Panels"), &window)) {
    for (const PanelEntry& entry : panelTable()) add(entry, entry.make(panels), actions);
}

void PanelDocks::add(const PanelEntry& entry, QWidget* panel, WindowActions& actions) {
    auto* dock = new QDockWidget(tr(entry.title), &m_window);
    dock->setObjectName(QLatin1String(entry.name));
    dock->setWidget(new PanelRoom(panel, leastIn(entry.area), dock));
    dock->setTitleBarWidget(new DockTitle(dock));
    // Docks below each other add up to more than a screen, and the window would grow to hold them: they start as tabs.
    const auto beside = std::find_if(m_docks.begin(), m_docks.end(),
                                     [&](QDockWidget* each) { return m_window.dockWidgetArea(each) == entry.area; });
    beside == m_docks.end() ? m_window.addDockWidget(entry.area, dock) : m_window.tabifyDockWidget(*beside, dock);
    m_docks << dock;
    dock->installEventFilter(this);
    QAction* action = makePanelAction(*dock);
    action->setProperty("needs", 0);
    actions.adopt(action, {}, QKeySequence(QLatin1String(entry.keys)));
    m_menu->addAction(action);
    for (auto signal : {&QDockWidget::topLevelChanged, &QDockWidget::visibilityChanged})
        connect(dock, signal, this, &PanelDocks::updateTitles, Qt::QueuedConnection);
    connect(dock, &QDockWidget::dockLocationChanged, this, &PanelDocks::updateTitles, Qt::QueuedConnection);
}

void PanelDocks::show(Panel panel) const { showPanel(dock(panel)); }

bool PanelDocks::isInFront(Panel panel) const { return ui::isInFront(dock(panel)); }

void PanelDocks::setCount(Panel panel, qsizetype count) const {
    const QString name = tr(panelTable()[static_cast<std::size_t>(panel)].title);
    dock(panel).setWindowTitle(
        count > 0 ? QStringLiteral("%1 %2").arg(name, QLocale().toString(static_cast<qlonglong>(count))) : name);
}

void PanelDocks::arrange() {
    const QSize asked = m_window.size(); // docks that are not yet tabs need more, and make the window grow
    for (QDockWidget* dock : std::as_const(m_docks)) {
        dock->setFloating(false);
        dock->show();
    }
    QDockWidget *modules = &dock(Panel::Modules), *legend = &dock(Panel::Legend);
    m_window.addDockWidget(Qt::LeftDockWidgetArea, modules);
    m_window.splitDockWidget(modules, legend, Qt::Vertical); // before it has tabs: else this would be one more
    QHash<Qt::DockWidgetArea, QDockWidget*> last{{Qt::LeftDockWidgetArea, modules}};
    for (const PanelEntry& entry : panelTable()) {
        QDockWidget* each = &dock(entry.panel);
        if (each == modules || each == legend) continue;
        QDockWidget*& beside = last[entry.area];
        beside ? m_window.tabifyDockWidget(beside, each) : m_window.addDockWidget(entry.area, each);
        beside = each;
    }
    for (const Panel front : {Panel::Modules, Panel::Inspector, Panel::Code}) dock(front).raise();
    m_divides = !m_window.isVisible(); // before it is shown, its layout knows no sizes to divide
    if (!m_divides) return divide(asked);
    needLess();
    m_window.resize(asked);
}

/// What the window needs is less since docks have become tabs.
void PanelDocks::needLess() {
    m_window.layout()->invalidate();
    m_window.layout()->activate();
}

/// Divides the window, which gets the size that it was to have.
void PanelDocks::divide(const QSize& asked) {
    m_divides = false;
    updateTitles();
    needLess();
    if (!m_window.isMaximized() && !m_window.isFullScreen()) m_window.resize(asked);
    const bool wide = m_window.width() >= 1440;
    const bool small = isSmall(m_window.size());
    const int right = small ? 280 : std::clamp(tabsWidth(dock(Panel::Inspector)), wide ? 360 : 344, wide ? 440 : 400);
    QDockWidget* modules = &dock(Panel::Modules);
    m_window.resizeDocks({modules, &dock(Panel::Inspector)}, {wide ? 262 : small ? 180 : 220, right}, Qt::Horizontal);
    m_window.resizeDocks({&dock(Panel::Code)}, {m_window.height() * 3 / 10}, Qt::Vertical);
    m_window.resizeDocks({modules, &dock(Panel::Legend)}, {m_window.height() - 380, 240}, Qt::Vertical);
    for (QDockWidget* each : std::as_const(m_docks)) // the View menu, shortcuts and what needs them show them
        if (small && m_window.dockWidgetArea(each) != Qt::RightDockWidgetArea) each->hide();
    needLess(); // now, not with the next event
    noteWidths();
}

/// What the tabs of the docks there need, so that all their names can be read.
int PanelDocks::tabsWidth(const QDockWidget& among) const {
    constexpr int kEdges = 4;
    const auto bars = m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    for (const QTabBar* bar : bars)
        for (int tab = 0; tab < bar->count(); ++tab)
            if (bar->tabText(tab) == among.windowTitle()) return bar->sizeHint().width() + kEdges;
    return 0;
}

bool PanelDocks::restore(const QByteArray& state) {
    const bool restored = m_window.restoreState(state, arrangementVersion(panelTable()));
    if (!restored) arrange();
    updateTitles();
    return restored;
}

QByteArray PanelDocks::state() const { return m_window.saveState(arrangementVersion(panelTable())); }

/// While it is first shown the window grows, because docks are not yet tabs.
void PanelDocks::windowWillShow() {
    if (!m_asked.isValid()) m_asked = m_window.size();
}

/// All panels are there now, and the native window is not yet: it never has another size. One that fills the screen
/// gets its size next.
void PanelDocks::windowShown() {
    if (m_divides && !m_window.isMaximized() && !m_window.isFullScreen()) divide(m_asked);
    else noteWidths();
}

void PanelDocks::windowResized() {
    if (m_divides && m_window.isVisible() && (m_window.isMaximized() || m_window.isFullScreen()))
        divide(m_window.size());
    keepWidths();
}

/// A window that gets narrower would take from the docks what it takes from the canvas; they stay as wide as they were.
/// Those that had to give way get their width back with the room for it.
void PanelDocks::keepWidths() {
    constexpr int kLeastCanvas = 320; // px: below it all give way
    const int before = std::exchange(m_width, m_window.width());
    int sum = 0;
    for (const int width : std::as_const(m_widths)) sum += width;
    if (!m_window.isVisible() || m_width == before || m_width - sum < kLeastCanvas) return;
    QList<QDockWidget*> docks;
    QList<int> widths;
    for (QDockWidget* each : std::as_const(m_docks)) {
        const auto area = m_window.dockWidgetArea(each);
        if (!ui::isInFront(*each) || each->isFloating() || !m_widths.contains(area)) continue;
        if (each->width() == m_widths.value(area)) continue;
        docks << each;
        widths << m_widths.value(area);
    }
    if (!docks.isEmpty()) m_window.resizeDocks(docks, widths, Qt::Horizontal);
}

void PanelDocks::noteWidth(QDockWidget& dock) {
    const auto area = m_window.dockWidgetArea(&dock);
    const bool isBeside = area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
    if (isBeside && ui::isInFront(dock) && !dock.isFloating()) m_widths[area] = dock.width();
}

void PanelDocks::noteWidths() {
    m_width = m_window.width();
    for (QDockWidget* each : std::as_const(m_docks)) noteWidth(*each);
}

/// Who makes a dock wider or narrower does not change the window; when the window did, it has another width by now.
bool PanelDocks::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && m_window.isVisible() && m_window.width() == m_width)
        noteWidth(*static_cast<QDockWidget*>(watched));
    return false;
}

/// A dock among tabs has its title on the tab; only one that stands alone or floats shows a bar of its own.
void PanelDocks::updateTitles() const {
    for (QDockWidget* each : m_docks) {
        const bool tabbed = !each->isFloating() && !m_window.tabifiedDockWidgets(each).isEmpty();
        static_cast<DockTitle*>(each->titleBarWidget())->setTabbed(tabbed);
    }
    const auto bars = m_window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
    for (QTabBar* bar : bars) {
        bar->setExpanding(false);
        bar->setDrawBase(false);
        bar->setDocumentMode(true);
        bar->setElideMode(Qt::ElideNone); // names that end in "…" are no names: the bar scrolls
        bar->setUsesScrollButtons(true);
        bar->setAccessibleName(tr("Panels"));
    }
}

} // namespace ui
