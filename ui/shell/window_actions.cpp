// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window_actions.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/icon.h"

#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>
#include <QToolBar>

namespace ui {

namespace {

/// Without mnemonic and dots.
QString plainText(QString text) { return text.remove(u'&').remove(QChar(0x2026)); }

/// What it is called on a button. Buttons show this close to the icon; a thin space keeps them apart.
void setBrief(QAction* action, const QString& text) {
    action->setIconText(action->icon().isNull() ? text : QChar(0x2009) + text);
}

} // namespace

WindowActions::WindowActions(QWidget* window) : QObject(window), m_window(window) {
    makeFileActions();
    makeEditActions();
    makeViewActions();
    makeRunActions();
    recentMenu = new QMenu(tr("Open &recent"), window);
    samplesMenu = new QMenu(tr("Open &sample"), window);
    modelsMenu = new QMenu(tr("&Models in this file"), window);
    for (QMenu* menu : {recentMenu, samplesMenu}) menu->setToolTipsVisible(true);
}

QAction* WindowActions::add(const QString& text, const QKeySequence& keys, Needs needs, const char* iconName) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setProperty("needs", static_cast<int>(needs));
    if (iconName) action->setIcon(icon(QLatin1String(iconName)));
    setBrief(action, plainText(text));
    m_window->addAction(action);
    m_all << action;
    return action;
}

void WindowActions::adopt(QAction* action, const QString& menuPath, const QKeySequence& shortcut) {
    action->setShortcut(shortcut);
    action->setProperty("menu", menuPath);
    m_window->addAction(action);
    m_all << action;
}

void WindowActions::makeFileActions() {
    open = add(tr("&Open…"), QKeySequence::Open, Need::Nothing, "open");
    reload = add(tr("&Reload"), Qt::CTRL | Qt::Key_R, Need::Tab);
    exportPng = add(tr("Picture as &PNG…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, Need::Picture, "export");
    exportSvg = add(tr("Picture as &SVG…"), Qt::CTRL | Qt::SHIFT | Qt::Key_V, Need::Picture);
    exportPdf = add(tr("Picture as P&DF…"), QKeySequence::Print, Need::Picture);
    exportDot = add(tr("Graph as D&OT…"), Qt::CTRL | Qt::SHIFT | Qt::Key_G, Need::File);
    save = add(tr("&Save"), QKeySequence::Save, Need::File, "save");
    saveAs = add(tr("Save &as…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, Need::File);
    exportCode = add(tr("&Code as Python…"), Qt::CTRL | Qt::ALT | Qt::Key_P, Need::Code);
    exportSelection = add(tr("Only the se&lection"), Qt::CTRL | Qt::ALT | Qt::Key_S, Need::Selection);
    exportSelection->setCheckable(true);
    closeTab = add(tr("&Close tab"), QKeySequence::Close, Need::Tab);
    closeAll = add(tr("Close &all tabs"), Qt::CTRL | Qt::SHIFT | Qt::Key_W, Need::Tab);
    quit = add(tr("&Quit"), Qt::CTRL | Qt::Key_Q, Need::Nothing);
    quit->setMenuRole(QAction::QuitRole);
}

void WindowActions::makeEditActions() {
    undo = add(tr("&Undo"), QKeySequence::Undo, Need::Undo, "undo");
    redo = add(tr("Re&do"), QKeySequence::Redo, Need::Redo, "redo");
    eraseNodes = add(tr("&Erase nodes"), QKeySequence::Delete, Need::Selection);
    renameNode = add(tr("Rena&me node…"), Qt::Key_F2, Need::OneSelected);
    insertAfter = add(tr("Insert &after…"), Qt::CTRL | Qt::Key_I, Need::Selection, "insert");
    insertBefore = add(tr("Insert &before…"), Qt::CTRL | Qt::SHIFT | Qt::Key_B, Need::Selection);
    changeCall = add(tr("Chan&ge call…"), Qt::CTRL | Qt::Key_E, Need::OneCall);
    replaceModule = add(tr("Replace &module…"), Qt::CTRL | Qt::Key_M, Need::OneModule);
    deadCode = add(tr("Remove unused &nodes"), Qt::CTRL | Qt::SHIFT | Qt::Key_D, Need::File);
    findPattern = add(tr("&Find this pattern"), Qt::CTRL | Qt::SHIFT | Qt::Key_M, Need::Selection, "pattern");
    replacePattern = add(tr("&Replace…"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, Need::File);
    partition = add(tr("&Partition…"), Qt::CTRL | Qt::SHIFT | Qt::Key_K, Need::File, "partition");
    expandModule = add(tr("E&xpand module"), Qt::CTRL | Qt::SHIFT | Qt::Key_X, Need::OneNode);
    applyRecipe = add(tr("Apply a re&cipe…"), Qt::CTRL | Qt::ALT | Qt::Key_R, Need::File);
    compare = add(tr("Compare with the &original"), Qt::CTRL | Qt::Key_D, Need::Undo, "compare");
    setBrief(insertAfter, tr("Insert"));
    setBrief(findPattern, tr("Pattern"));
    setBrief(compare, tr("Compare"));
    find = add(tr("&Find nodes"), QKeySequence::Find, Need::File, "search");
    setBrief(find, tr("Find"));
    findNext = add(tr("Find &next"), Qt::Key_F3, Need::Found);
    findPrevious = add(tr("Find &previous"), Qt::SHIFT | Qt::Key_F3, Need::Found);
    findInCode = add(tr("Find in &code"), Qt::CTRL | Qt::SHIFT | Qt::Key_F, Need::Code);
    palette = add(tr("Co&mmand palette"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, Need::Nothing);
    selectAll = add(tr("Select &all"), QKeySequence::SelectAll, Need::File);
    selectInputs = add(tr("Select &inputs"), Qt::CTRL | Qt::SHIFT | Qt::Key_I, Need::Selection);
    selectUsers = add(tr("Select &users"), Qt::CTRL | Qt::SHIFT | Qt::Key_U, Need::Selection);
    clearSelection = add(tr("C&lear selection"), Qt::CTRL | Qt::SHIFT | Qt::Key_A, Need::Selection);
    copyNames = add(tr("&Copy nodes"), QKeySequence::Copy, Need::Selection, "copy");
    paste = add(tr("&Paste nodes"), QKeySequence::Paste, Needs(Need::File) | Need::Copied);
    copyCode = add(tr("Copy c&ode"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, Need::Code);
    copyPicture = add(tr("Copy pictu&re"), Qt::CTRL | Qt::ALT | Qt::Key_C, Need::Picture);
}

void WindowActions::makeViewActions() {
    expandAll = add(tr("&Expand all"), Qt::CTRL | Qt::Key_Asterisk, Need::Picture, "expand");
    collapseAll = add(tr("&Collapse all"), Qt::CTRL | Qt::SHIFT | Qt::Key_Minus, Need::Picture, "collapse");
    setBrief(expandAll, tr("Expand"));
    setBrief(collapseAll, tr("Collapse"));
    fit = add(tr("&Fit"), Qt::CTRL | Qt::Key_0, Need::Picture, "fit");
    zoomIn = add(tr("Zoom &in"), QKeySequence::ZoomIn, Need::Picture, "zoom-in");
    zoomOut = add(tr("Zoom &out"), QKeySequence::ZoomOut, Need::Picture, "zoom-out");
    actualSize = add(tr("&Actual size"), Qt::CTRL | Qt::Key_1, Need::Picture);
    zoomToSelection = add(tr("&Zoom to selection"), Qt::CTRL | Qt::Key_2, Need::Selection);
    topDown = add(tr("&Top-down"), Qt::CTRL | Qt::Key_T, Need::Picture, "top-down");
    leftRight = add(tr("&Left-right"), Qt::CTRL | Qt::Key_L, Need::Picture, "left-right");
    auto* directions = new QActionGroup(this);
    for (QAction* action : {topDown, leftRight}) {
        action->setCheckable(true);
        directions->addAction(action);
    }
    hideSelected = add(tr("&Hide selected"), Qt::CTRL | Qt::Key_H, Need::Selection, "hide");
    showAll = add(tr("&Show all"), Qt::CTRL | Qt::SHIFT | Qt::Key_H, Need::Hidden, "show");
    openNested = add(tr("Open &nested graph"), Qt::CTRL | Qt::Key_G, Need::OneNode);
    nextTab = add(tr("Ne&xt tab"), QKeySequence::NextChild, Need::Tab);
    previousTab = add(tr("&Previous tab"), QKeySequence::PreviousChild, Need::Tab);
    resetLayout = add(tr("&Reset panels"), Qt::CTRL | Qt::ALT | Qt::Key_0, Need::Nothing);
    fullScreen = add(tr("F&ull screen"), Qt::Key_F11, Need::Nothing);
    fullScreen->setCheckable(true);
    themeSystem = add(tr("Like the &system"), Qt::CTRL | Qt::ALT | Qt::Key_Y, Need::Nothing);
    themeLight = add(tr("&Light"), Qt::CTRL | Qt::ALT | Qt::Key_L, Need::Nothing);
    themeDark = add(tr("&Dark"), Qt::CTRL | Qt::ALT | Qt::Key_D, Need::Nothing);
    auto* themes = new QActionGroup(this);
    for (QAction* action : {themeSystem, themeLight, themeDark}) {
        action->setCheckable(true);
        themes->addAction(action);
    }
    shortcuts = add(tr("&Keyboard and mouse"), QKeySequence::HelpContents, Need::Nothing);
    about = add(tr("&About Lancet"), Qt::SHIFT | Qt::Key_F1, Need::Nothing);
    about->setMenuRole(QAction::AboutRole);
}

void WindowActions::makeRunActions() {
    verify = add(tr("&Verify against the original"), Qt::CTRL | Qt::SHIFT | Qt::Key_Y, Need::File, "verify");
    setBrief(verify, tr("Verify"));
    time = add(tr("&Time against the original"), Qt::CTRL | Qt::SHIFT | Qt::Key_T, Need::File, "time");
    setBrief(time, tr("Time"));
    heatMap = add(tr("&Heat map of times"), Qt::CTRL | Qt::ALT | Qt::Key_H, Needs(Need::Picture) | Need::Timed);
    heatMap->setCheckable(true);
    setBrief(heatMap, tr("Heat map"));
    errorMap =
        add(tr("Errors Alon&g the Graph"), Qt::CTRL | Qt::ALT | Qt::Key_E, Needs(Need::Picture) | Need::Compared);
    errorMap->setCheckable(true);
    setBrief(errorMap, tr("Errors"));
    timeEdits = add(tr("Time &Each Edit in the Background"), Qt::CTRL | Qt::ALT | Qt::Key_B, Need::Nothing);
    timeEdits->setCheckable(true);
    values = add(tr("V&alues of the selected node"), Qt::CTRL | Qt::ALT | Qt::Key_V, Need::OneSelected);
    setBrief(values, tr("Values"));
    editInputs = add(tr("&Inputs…"), Qt::CTRL | Qt::ALT | Qt::Key_I, Need::File);
    workerSettings = add(tr("&Where models run…"), Qt::CTRL | Qt::ALT | Qt::Key_W, Need::Nothing);
}

void WindowActions::fillMenus(QMenuBar* bar, QMenu* docks) {
    QMenu* file = bar->addMenu(tr("&File"));
    file->addAction(open);
    file->addMenu(recentMenu);
    file->addMenu(samplesMenu);
    file->addMenu(modelsMenu);
    file->addAction(reload);
    file->addSeparator();
    file->addActions({save, saveAs});
    QMenu* exports = file->addMenu(tr("&Export"));
    exports->addActions({exportPng, exportSvg, exportPdf, exportDot, exportCode});
    exports->addSeparator();
    exports->addAction(exportSelection);
    file->addSeparator();
    file->addActions({closeTab, closeAll, quit});

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({undo, redo});
    edit->addSeparator();
    edit->addActions({eraseNodes, renameNode});
    edit->addSeparator();
    edit->addActions({copyNames, paste, copyCode, copyPicture});
    edit->addSeparator();
    edit->addActions({find, findNext, findPrevious, findInCode, palette});
    edit->addSeparator();
    edit->addActions({selectAll, selectInputs, selectUsers, clearSelection});

    QMenu* graph = bar->addMenu(tr("&Graph"));
    graph->addActions({insertAfter, insertBefore, changeCall, replaceModule});
    graph->addSeparator();
    graph->addActions({findPattern, replacePattern, partition, expandModule});
    graph->addSeparator();
    graph->addActions({deadCode, applyRecipe, compare});

    QMenu* run = bar->addMenu(tr("&Run"));
    run->addActions({verify, time, values, editInputs});
    run->addSeparator();
    run->addActions({timeEdits, workerSettings});

    QMenu* view = bar->addMenu(tr("&View"));
    view->addActions({expandAll, collapseAll});
    view->addSeparator();
    view->addActions({fit, zoomIn, zoomOut, actualSize, zoomToSelection});
    view->addSeparator();
    view->addMenu(tr("&Direction"))->addActions({topDown, leftRight});
    view->addActions({hideSelected, showAll, openNested});
    view->addActions({heatMap, errorMap});
    view->addSeparator();
    view->addMenu(tr("&Theme"))->addActions({themeSystem, themeLight, themeDark});
    view->addMenu(docks);
    view->addActions({resetLayout, fullScreen});
    view->addSeparator();
    view->addActions({nextTab, previousTab});

    bar->addMenu(tr("&Help"))->addActions({shortcuts, about});
    for (QAction* action : bar->actions()) setPaths(action->menu(), QString());
}

/// Gives every action its place in the menus as text: "View: Direction: Left-right", and shows tool tips there.
void WindowActions::setPaths(QMenu* menu, const QString& path) {
    menu->setToolTipsVisible(true);
    QString name = menu->title();
    name.remove(u'&');
    const QString here = path.isEmpty() ? name : path + QStringLiteral(": ") + name;
    for (QAction* action : menu->actions()) {
        if (action->menu()) {
            setPaths(action->menu(), here);
            continue;
        }
        action->setProperty("path", here + QStringLiteral(": ") + action->text().remove(u'&'));
    }
}

void WindowActions::fillToolBar(QToolBar* bar) {
    bar->addActions({open, save, undo, redo, find});
    bar->addSeparator();
    bar->addActions({insertAfter, findPattern, partition});
    bar->addSeparator();
    bar->addActions({verify, time, compare});
    bar->addSeparator();
    bar->addActions({expandAll, collapseAll});
}

void WindowActions::setAvailable(Needs there) {
    const std::pair<Need, QString> reasons[] = {
        {Need::Tab, tr("no tab is open")},
        {Need::File, tr("no file is open")},
        {Need::Picture, tr("there is no picture yet")},
        {Need::Code, tr("there is no code yet")},
        {Need::Selection, tr("nothing is selected")},
        {Need::Hidden, tr("nothing is hidden")},
        {Need::Found, tr("nothing was searched and found")},
        {Need::Undo, tr("nothing has been changed")},
        {Need::Redo, tr("nothing was undone")},
        {Need::Timed, tr("nothing has been timed")},
        {Need::Compared, tr("this version has not been compared with the original")},
        {Need::Copied, tr("no nodes have been copied")},
        {Need::OneSelected, tr("exactly one node has to be selected")},
        {Need::OneCall, tr("exactly one node that calls something has to be selected")},
        {Need::OneModule, tr("exactly one node that calls a module has to be selected")},
        {Need::OneNode, tr("the selected node has no graph of its own")},
    };
    for (QAction* action : std::as_const(m_all)) {
        const Needs needs(action->property("needs").toInt());
        QString why;
        for (const auto& [need, reason] : reasons)
            if (why.isEmpty() && needs.testFlag(need) && !there.testFlag(need)) why = reason;
        action->setEnabled(why.isEmpty());
        action->setProperty("why", why);
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        QString tip = plainText(action->text());
        if (!keys.isEmpty()) tip += QStringLiteral(" (%1)").arg(keys);
        if (!why.isEmpty()) tip += QStringLiteral(": ") + why;
        action->setToolTip(plainToolTip(tip)); // what is undone is named by files, too
    }
}

} // namespace ui
