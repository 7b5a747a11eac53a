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
    recentMenu = new QMenu(tr("Open &Recent"), window);
    samplesMenu = new QMenu(tr("Open &Sample"), window);
    modelsMenu = new QMenu(tr("&Models in This File"), window);
    passMenu = new QMenu(tr("R&un Pass"), window);
    for (QMenu* menu : {recentMenu, samplesMenu, modelsMenu}) menu->setToolTipsVisible(true);
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
    newSource = add(tr("&New from Python"), QKeySequence::New, Need::Nothing, "new");
    traceWithPython = add(tr("&Trace with Python…"), {}, Need::Nothing);
    loadWeights = add(tr("Load Wei&ghts…"), {}, Need::TakesWeights);
    trustCard = add(tr("Tr&ust Card…"), {}, Need::Nothing);
    open = add(tr("&Open…"), QKeySequence::Open, Need::Nothing, "open");
    openFolder = add(tr("Open &Folder…"), {}, Need::Nothing);
    reload = add(tr("&Reload"), Qt::CTRL | Qt::Key_R, Need::Tab);
    exportPng = add(tr("Picture as &PNG…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E, Need::Picture, "export");
    exportSvg = add(tr("Picture as &SVG…"), {}, Need::Picture);
    exportPdf = add(tr("Picture as P&DF…"), {}, Need::Picture);
    exportDot = add(tr("Graph as D&OT…"), {}, Need::File);
    save = add(tr("&Save"), QKeySequence::Save, Need::File, "save");
    saveAs = add(tr("Save &As…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, Need::File);
    warnNames = add(tr("&Warn About Changed Names"), {}, Need::File);
    warnNames->setCheckable(true);
    exportCode = add(tr("&Code as Python…"), {}, Need::Code);
    exportSelection = add(tr("Export Se&lection Only"), {}, Need::Selection);
    exportSelection->setCheckable(true);
    closeTab = add(tr("&Close Tab"), QKeySequence::Close, Need::Tab);
    closeAll = add(tr("Close &All Tabs"), Qt::CTRL | Qt::SHIFT | Qt::Key_W, Need::Tab);
    quit = add(tr("&Quit"), Qt::CTRL | Qt::Key_Q, Need::Nothing);
    quit->setMenuRole(QAction::QuitRole);
}

void WindowActions::makeEditActions() {
    undo = add(tr("&Undo"), QKeySequence::Undo, Need::Undo, "undo");
    redo = add(tr("Re&do"), QKeySequence::Redo, Need::Redo, "redo");
    eraseNodes = add(tr("&Erase Nodes"), QKeySequence::Delete, Need::Selection);
    renameNode = add(tr("Rena&me Node…"), Qt::Key_F2, Need::OneSelected);
    insertAfter = add(tr("Insert &After…"), Qt::CTRL | Qt::Key_I, Need::Selection, "insert");
    insertBefore = add(tr("Insert &Before…"), Qt::CTRL | Qt::SHIFT | Qt::Key_B, Need::Selection);
    changeCall = add(tr("Chan&ge Call…"), Qt::CTRL | Qt::Key_E, Need::OneCall);
    replaceModule = add(tr("Replace &Module…"), Qt::CTRL | Qt::Key_M, Need::OneModule);
    replaceModuleClass = add(tr("Replace Module &Class Everywhere…"), Qt::CTRL | Qt::ALT | Qt::Key_M, Need::OneModule);
    deadCode = add(tr("Remove Unused &Nodes"), Qt::CTRL | Qt::SHIFT | Qt::Key_D, Need::File);
    findPattern = add(tr("&Find Pattern"), Qt::CTRL | Qt::SHIFT | Qt::Key_M, Need::Selection, "pattern");
    replacePattern = add(tr("&Replace Pattern"), Qt::CTRL | Qt::SHIFT | Qt::Key_R, Need::File);
    partition = add(tr("&Partition Graph"), Qt::CTRL | Qt::SHIFT | Qt::Key_K, Need::File, "partition");
    expandModule = add(tr("E&xpand Module"), Qt::CTRL | Qt::SHIFT | Qt::Key_X, Need::OneNode);
    applyRecipe = add(tr("Apply Re&cipe…"), Qt::CTRL | Qt::ALT | Qt::Key_R, Need::File);
    compare = add(tr("Compare with &Original"), Qt::CTRL | Qt::Key_D, Need::Undo, "compare");
    passes = add(tr("Pa&sses"), Qt::CTRL | Qt::ALT | Qt::Key_P, Need::File, "passes");
    runPasses = add(tr("Run Tic&ked Passes"), Qt::CTRL | Qt::SHIFT | Qt::Key_L, Need::File);
    findBadRewrite = add(tr("Find First &Bad Rewrite"), {}, Need::File);
    minimise = add(tr("M&inimise Failing Model"), {}, Need::File);
    optimise = add(tr("&Optimise for This CPU"), Qt::CTRL | Qt::ALT | Qt::Key_O, Need::File);
    extract = add(tr("Open Selection as &Model"), Qt::CTRL | Qt::ALT | Qt::Key_G, Need::Selection);
    trainMode = add(tr("Set to &Training Mode"), {}, Need::File);
    evalMode = add(tr("Set to E&valuation Mode"), {}, Need::File);
    setTensor = add(tr("Set T&ensor from File…"), {}, Needs(Need::OneSelected) | Need::Tensors);
    compareFile = add(tr("Compare &with File…"), Qt::CTRL | Qt::ALT | Qt::Key_D, Need::File);
    setBrief(optimise, tr("Optimise"));
    setBrief(insertAfter, tr("Insert"));
    setBrief(findPattern, tr("Pattern"));
    setBrief(partition, tr("Partition"));
    setBrief(compare, tr("Compare"));
    find = add(tr("&Find Nodes"), QKeySequence::Find, Need::File, "search");
    setBrief(find, tr("Find"));
    findNext = add(tr("Find &Next"), Qt::Key_F3, Need::Found);
    findPrevious = add(tr("Find &Previous"), Qt::SHIFT | Qt::Key_F3, Need::Found);
    findInCode = add(tr("Find in &Code"), Qt::CTRL | Qt::SHIFT | Qt::Key_F, Need::Code);
    palette = add(tr("Co&mmand Palette"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, Need::Nothing);
    selectAll = add(tr("Select &All"), QKeySequence::SelectAll, Need::File);
    selectInputs = add(tr("Select &Inputs"), Qt::CTRL | Qt::SHIFT | Qt::Key_I, Need::Selection);
    selectUsers = add(tr("Select &Users"), Qt::CTRL | Qt::SHIFT | Qt::Key_J, Need::Selection);
    clearSelection = add(tr("C&lear Selection"), Qt::CTRL | Qt::SHIFT | Qt::Key_A, Need::Selection);
    copyNames = add(tr("&Copy Nodes"), QKeySequence::Copy, Need::Selection, "copy");
    paste = add(tr("&Paste Nodes"), QKeySequence::Paste, Needs(Need::File) | Need::Copied);
    copyCode = add(tr("Copy C&ode"), Qt::CTRL | Qt::SHIFT | Qt::Key_C, Need::Code);
    copyPicture = add(tr("Copy Pictu&re"), Qt::CTRL | Qt::ALT | Qt::Key_C, Need::Picture);
}

void WindowActions::makeViewActions() {
    expandAll = add(tr("&Expand All"), Qt::CTRL | Qt::Key_Asterisk, Need::Picture, "expand");
    collapseAll = add(tr("&Collapse All"), Qt::CTRL | Qt::SHIFT | Qt::Key_Minus, Need::Picture, "collapse");
    setBrief(expandAll, tr("Expand"));
    setBrief(collapseAll, tr("Collapse"));
    fit = add(tr("&Fit in View"), Qt::CTRL | Qt::Key_0, Need::Picture, "fit");
    zoomIn = add(tr("Zoom &In"), QKeySequence::ZoomIn, Need::Picture, "zoom-in");
    zoomOut = add(tr("Zoom &Out"), QKeySequence::ZoomOut, Need::Picture, "zoom-out");
    actualSize = add(tr("&Actual Size"), Qt::CTRL | Qt::Key_1, Need::Picture);
    zoomToSelection = add(tr("&Zoom to Selection"), Qt::CTRL | Qt::Key_2, Need::Selection);
    topDown = add(tr("&Top to Bottom"), Qt::CTRL | Qt::Key_T, Need::Picture, "top-down");
    leftRight = add(tr("&Left to Right"), Qt::CTRL | Qt::Key_L, Need::Picture, "left-right");
    auto* directions = new QActionGroup(this);
    for (QAction* action : {topDown, leftRight}) {
        action->setCheckable(true);
        directions->addAction(action);
    }
    showSource = add(tr("Source &Beside Graph"), Qt::Key_F4, Need::Tab);
    showSource->setCheckable(true);
    hideSelected = add(tr("&Hide Selected"), Qt::CTRL | Qt::Key_H, Need::Selection, "hide");
    showAll = add(tr("&Show All"), Qt::CTRL | Qt::SHIFT | Qt::Key_H, Need::Hidden, "show");
    openNested = add(tr("Open &Nested Graph"), Qt::CTRL | Qt::Key_G, Need::OneNode);
    nextTab = add(tr("Ne&xt Tab"), Qt::CTRL | Qt::Key_Tab, Need::Tab);
    // Not QKeySequence::PreviousChild: that is Backtab with Shift, which no key gives on X11.
    previousTab = add(tr("&Previous Tab"), Qt::CTRL | Qt::SHIFT | Qt::Key_Tab, Need::Tab);
    resetLayout = add(tr("&Reset Panels"), {}, Need::Nothing);
    fullScreen = add(tr("F&ull Screen"), Qt::Key_F11, Need::Nothing);
    fullScreen->setCheckable(true);
    themeSystem = add(tr("Follow &System"), {}, Need::Nothing);
    themeLight = add(tr("&Light"), {}, Need::Nothing);
    themeDark = add(tr("&Dark"), {}, Need::Nothing);
    auto* themes = new QActionGroup(this);
    for (QAction* action : {themeSystem, themeLight, themeDark}) {
        action->setCheckable(true);
        themes->addAction(action);
    }
    shortcuts = add(tr("&Keyboard and Mouse"), QKeySequence::HelpContents, Need::Nothing);
    about = add(tr("&About Lancet"), {}, Need::Nothing);
    about->setMenuRole(QAction::AboutRole);
}

void WindowActions::makeRunActions() {
    verify = add(tr("&Verify Against Original"), Qt::CTRL | Qt::SHIFT | Qt::Key_Y, Need::File, "verify");
    setBrief(verify, tr("Verify"));
    time = add(tr("&Time Against Original"), Qt::CTRL | Qt::SHIFT | Qt::Key_T, Need::File, "time");
    setBrief(time, tr("Time"));
    heatMap = add(tr("Show &Heat Map of Times"), Qt::CTRL | Qt::ALT | Qt::Key_H,
                  Needs(Need::Picture) | Need::FreeColours | Need::Timed);
    heatMap->setCheckable(true);
    setBrief(heatMap, tr("Heat Map"));
    errorMap = add(tr("Show Errors Alon&g Graph"), Qt::CTRL | Qt::ALT | Qt::Key_E,
                   Needs(Need::Picture) | Need::FreeColours | Need::Compared);
    errorMap->setCheckable(true);
    setBrief(errorMap, tr("Errors"));
    timeEdits = add(tr("Time &Each Edit in Background"), Qt::CTRL | Qt::ALT | Qt::Key_B, Need::Nothing);
    timeEdits->setCheckable(true);
    values = add(tr("Show V&alues"), Qt::CTRL | Qt::ALT | Qt::Key_V, Need::OneSelected);
    setBrief(values, tr("Values"));
    editInputs = add(tr("Edit &Inputs…"), Qt::CTRL | Qt::ALT | Qt::Key_I, Need::File);
    workerSettings = add(tr("&Worker Settings…"), {}, Need::Nothing);
    preferences = add(tr("Pre&ferences…"), Qt::CTRL | Qt::Key_Comma, Need::Nothing);
    preferences->setMenuRole(QAction::PreferencesRole);
}

void WindowActions::fillMenus(QMenuBar* bar, QMenu* docks) {
    QMenu* file = bar->addMenu(tr("&File"));
    file->addActions({newSource, open, openFolder});
    file->addMenu(recentMenu);
    file->addMenu(samplesMenu);
    file->addMenu(modelsMenu);
    file->addActions({traceWithPython, loadWeights, trustCard, reload});
    file->addSeparator();
    file->addActions({save, saveAs, warnNames});
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
    edit->addSeparator();
    edit->addAction(preferences);

    QMenu* graph = bar->addMenu(tr("&Graph"));
    graph->addActions({insertAfter, insertBefore, changeCall, replaceModule, replaceModuleClass});
    graph->addSeparator();
    graph->addActions({findPattern, replacePattern, partition, expandModule, extract});
    graph->addSeparator();
    graph->addAction(passes);
    graph->addMenu(passMenu);
    graph->addActions({runPasses, findBadRewrite, minimise, deadCode, applyRecipe});
    graph->addSeparator();
    graph->addActions({trainMode, evalMode, setTensor});
    graph->addSeparator();
    graph->addActions({compare, compareFile});

    QMenu* run = bar->addMenu(tr("&Run"));
    run->addActions({verify, time, values, editInputs});
    run->addSeparator();
    run->addAction(optimise);
    run->addSeparator();
    run->addActions({timeEdits, workerSettings});

    QMenu* view = bar->addMenu(tr("&View"));
    view->addActions({showSource, expandAll, collapseAll});
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
    bar->addActions({insertAfter, findPattern, partition, passes});
    bar->addSeparator();
    bar->addActions({verify, time, compare});
    bar->addSeparator();
    bar->addActions({expandAll, collapseAll});
}

void WindowActions::setAvailable(Needs there) {
    const std::pair<Need, QString> reasons[] = {
        {Need::Tab, tr("no tab is open")},
        {Need::File, tr("no file is open")},
        {Need::TakesWeights, tr("there is no model yet")},
        {Need::Picture, tr("there is no picture yet")},
        {Need::Code, tr("there is no code yet")},
        {Need::Selection, tr("nothing is selected")},
        {Need::Hidden, tr("nothing is hidden")},
        {Need::Found, tr("nothing has been found yet")},
        {Need::Undo, tr("nothing has changed")},
        {Need::Redo, tr("nothing to redo")},
        {Need::FreeColours, tr("the colours show partitions while the Partition panel is in front")},
        {Need::Timed, tr("the model has not been timed")},
        {Need::Compared, tr("this version has not been compared with the original")},
        {Need::Copied, tr("no nodes have been copied")},
        {Need::OneSelected, tr("select exactly one node")},
        {Need::Tensors, tr("the selected node has no parameters or buffers")},
        {Need::OneCall, tr("select exactly one node that calls something")},
        {Need::OneModule, tr("select exactly one node that calls a module")},
        {Need::OneNode, tr("select a node that calls a nested graph")},
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
        else if (const QString words = action->property("about").toString(); !words.isEmpty())
            tip += QStringLiteral(": ") + words;
        action->setToolTip(plainToolTip(tip)); // what is undone is named by files, too
    }
}

} // namespace ui
