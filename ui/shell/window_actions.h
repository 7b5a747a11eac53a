// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAction>
#include <QFlags>
#include <QKeySequence>
#include <QObject>

class QMenu;
class QMenuBar;
class QToolBar;

namespace ui {

/// The requirements of an action.
enum class Need {
    Nothing = 0,
    File = 1,
    Picture = 2,
    Code = 4,
    Selection = 8,
    Hidden = 16,
    Found = 32,
    Tab = 64,
    OneNode = 128,
    Undo = 256,
    Redo = 512,
    OneSelected = 1024,
    OneModule = 2048,
    OneCall = 4096,
    Copied = 8192,
    Timed = 16384,
    Compared = 32768,
    FreeColours = 65536,  ///< the colours of the nodes do not show partitions
    Tensors = 131072,     ///< one node is selected that gets a tensor or calls a module with weights
    TakesWeights = 262144 ///< there is a model, or Python source that gives one
};
Q_DECLARE_FLAGS(Needs, Need)

/// All actions of the window with text, shortcut, icon and requirements, and the menus and the tool bar built from
/// them.
///
/// The tooltip of a disabled action gives the reason.
class WindowActions final : public QObject {
    Q_OBJECT
public:
    explicit WindowActions(QWidget* window); ///< `window` becomes the parent of the actions.

    /// Adds all menus to `bar`; `docks` becomes the Panels menu.
    void fillMenus(QMenuBar* bar, QMenu* docks);
    void fillToolBar(QToolBar* bar); ///< Adds the actions of the tool bar.
    /// Enables the actions whose requirements `there` meets, and explains why the others are disabled.
    void setAvailable(Needs there);
    /// All actions with text, including those of submenus that are filled later; for the command palette.
    const QList<QAction*>& all() const { return m_all; }
    /// Adds an action created elsewhere (docks, themes) to palette and help.
    void adopt(QAction* action, const QString& menuPath, const QKeySequence& shortcut);

    /// Edits of the graph.
    QAction *undo, *redo, *eraseNodes, *renameNode, *insertAfter, *insertBefore, *changeCall, *replaceModule,
        *replaceModuleClass, *deadCode, *paste;
    /// Passes, and actions on the model.
    QAction *passes, *runPasses, *findBadRewrite, *minimise, *optimise, *extract, *trainMode, *evalMode, *setTensor,
        *compareFile;
    /// Patterns, partitions, recipes and comparison.
    QAction *findPattern, *replacePattern, *partition, *expandModule, *applyRecipe, *compare;
    QAction *newSource, *traceWithPython, *loadWeights, *showSource; ///< Python source
    /// Files.
    QAction *open, *openFolder, *reload, *trustCard, *save, *saveAs, *warnNames, *exportPng, *exportSvg, *exportPdf,
        *exportDot, *exportCode, *exportSelection, *closeTab, *closeAll, *quit;
    /// Search, selection and clipboard.
    QAction *find, *findNext, *findPrevious, *findInCode, *palette, *selectAll, *selectInputs, *selectUsers,
        *clearSelection, *copyNames, *copyCode, *copyPicture;
    /// View and window.
    QAction *expandAll, *collapseAll, *fit, *zoomIn, *zoomOut, *actualSize, *zoomToSelection, *topDown, *leftRight,
        *hideSelected, *showAll, *openNested, *nextTab, *previousTab, *resetLayout, *fullScreen, *themeSystem,
        *themeLight, *themeDark;
    /// Running models.
    QAction *verify, *time, *timeEdits, *heatMap, *errorMap, *values, *editInputs, *workerSettings, *preferences;
    QAction *shortcuts, *about;                              ///< Help
    QMenu *recentMenu, *samplesMenu, *modelsMenu, *passMenu; ///< submenus that are filled when they open

private:
    QAction* add(const QString& text, const QKeySequence& keys, Needs needs, const char* iconName = nullptr);
    void makeFileActions();
    void makeEditActions();
    void makeViewActions();
    void makeRunActions();
    void setPaths(QMenu* menu, const QString& path);

    QWidget* m_window;
    QList<QAction*> m_all;
};

} // namespace ui
