// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"
#include "core/model_files/foresee.h"
#include "core/model_files/save_graphmodule.h"
#include "ui/changes/version_difference.h"
#include "ui/document/document.h"
#include "ui/edit/call_dialog.h"
#include "ui/edit/node_clipboard.h"
#include "ui/shell/exporter.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/theme.h"

#include <QCloseEvent>
#include <QMainWindow>
#include <QPointer>

class QLabel;
class QStackedWidget;
class QTabWidget;

namespace ui {

class BusyBar;
class ChangesPanel;
class CodePanel;
class CommandPalette;
class DocumentPage;
class ErrorMap;
class FindBar;
class HistoryPanel;
class InspectorPanel;
class LegendPanel;
class ModulesPanel;
class NodesPanel;
class PartitionPanel;
class ValuesPanel;
class PatternPanel;
class ProblemsPanel;
class ResultHost;
class ResultSession;
class RunCenter;
class RecoveryBar;
class SaveSheet;
class Settings;
class TimingPanel;
class WelcomePage;

/// The window: tabs of documents in the middle, panels around them, menus above. It only connects documents and panels,
/// which implement the behaviour.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    /// `settings` must outlive the window.
    explicit MainWindow(Settings& settings, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a file in a new tab, or switches to its tab.
    void openFile(const QString& path);
    void openModule(std::shared_ptr<const fx::GraphModule> module, const QString& title);
    /// Enables recovery of edits that a crashed process left in `folder`: immediately, and when their file is opened.
    void offerRecovery(const QString& folder);
    /// The current page; null if no file is open.
    DocumentPage* currentPage() const;
    Document* currentDocument() const;
    WindowActions& actions() { return *m_actions; }
    RunCenter& run() { return *m_run; }
    /// Exports the current page, off the GUI thread; shows failures in a message box.
    void exportFile(const QString& path, ExportKind kind);
    /// Writes the current version, after telling what PyTorch will make of it, in the format that the ending of `path`
    /// says, as the command line does; a project (.lancet) with its whole history and how it is looked at.
    void saveTo(const QString& path);
    /// Previews a recipe on the current document, and applies it if accepted.
    void applyRecipe(const QString& path);
    /// Renames a node of the current document.
    void renameNode(const QString& old, const QString& name);
    /// Shows a message in the status bar for a few seconds.
    void notify(const QString& text);
    void setVisible(bool visible) override;
    /// The context menu of the tool bar: the panels, as in the View menu, and the tool bar itself.
    QMenu* createPopupMenu() override;

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // main_window.cpp: parts and layout
    void makeCentre();
    void makePanels();
    QDockWidget* addPanel(const QString& name, const QString& title, QWidget* panel, Qt::DockWidgetArea area);
    void makeStatusBar();
    void arrangePanels();
    void sizePanels(const QSize& asked);
    void updateDockTitles();
    void restoreWindow();

    // main_window_actions.cpp: actions
    void connectFileActions();
    void connectEditActions();
    void connectChangeActions();
    void connectViewActions();
    void updateActions();
    void chooseTheme(ThemeChoice choice);
    void setDirection(fx::Direction direction);
    void selectNeighbours(bool inputs);
    std::shared_ptr<const fx::GraphModule> nestedGraph() const;
    void openNested();
    void copyNames();

    // main_window_run.cpp: running models
    void makeRun();
    void connectRunActions();
    void makeTiming();
    void makeResults();
    void showRun(Document* document);
    void chooseColours(bool errors, bool chosen);
    void showColours();

    // main_window_files.cpp: tabs and files
    void openDialog();
    void addPage(Document* document);
    void closePage(int index);
    void eraseSelected();
    void eraseAnyway(const std::vector<fx::NodeId>& nodes, std::vector<fx::NodeId> users);
    void insertOrChange(CallDialog::Task task);
    void findPattern();
    void showMatches();
    /// The legend of the current canvas; empty for the kinds of nodes.
    ColourLegend colourLegend() const;
    void preview(const QString& name, const QByteArray& steps);
    void compareVersions();
    void showNodeMenu(const QPoint& position);
    void showEdgeMenu(const QPoint& position, fx::NodeId from, fx::NodeId to);
    void connectNodes(const QPoint& position, fx::NodeId from, fx::NodeId to);
    void openCallDialog(CallDialog* dialog);
    void makeNodes(const QString& name, const QByteArray& steps);
    void renameSelected();
    void renameOnCanvas(fx::NodeId node);
    void changeInPlace(const QString& name, const std::function<QByteArray()>& steps);
    void connectPlaces();
    void openRecipe();
    void saveRecipe(bool asScript);
    void showVersion();
    void tellRefusal(const fx::Error& error);
    void switchPage();
    void fillSamplesMenu();
    void fillRecentMenu();
    void fillModelsMenu();
    void exportAs(ExportKind kind);
    void copyPicture();
    ExportRequest exportRequest(ExportKind kind) const;
    void tellFailure(const fx::Error& error);
    static QString plainTabText(QString title);
    void pageChanged(DocumentPage* page);

    // main_window_save.cpp
    void save();
    void saveDialog();
    void openSaveSheet(Document& document, const QString& path, const std::vector<fx::Foreseen>& points);
    void writeTo(const QString& path);
    bool mayClose(const Document& document);

    // main_window_recovery.cpp
    void openRecovered(const std::shared_ptr<fx::OrphanedJournal>& journal,
                       const std::shared_ptr<fx::RecoveredModel>& model);

    // main_window_status.cpp: status bar and find bar
    void updateStatus();
    void placeFindBar();
    void openFind();
    void closeFind();

    Settings& m_settings;
    WindowActions* m_actions;
    QStackedWidget* m_centre;
    WelcomePage* m_welcome;
    QTabWidget* m_tabs;
    FindBar* m_findBar;
    RecoveryBar* m_recovery = nullptr;
    CommandPalette* m_palette;
    ModulesPanel* m_modules;
    NodesPanel *m_nodes, *m_table;
    CodePanel* m_code;
    InspectorPanel* m_inspector;
    ProblemsPanel* m_problems;
    LegendPanel* m_legend;
    PatternPanel* m_pattern;
    PartitionPanel* m_partition;
    ValuesPanel* m_values;
    ChangesPanel* m_changes;
    HistoryPanel* m_history;
    RunCenter* m_run;
    TimingPanel* m_timing;
    ErrorMap* m_errors;
    ResultHost *m_verifyHost, *m_historyHost;
    QPointer<ResultSession> m_result; ///< of the document in front
    NodeClipboard* m_clipboard;
    QPointer<Document> m_shown; ///< the document shown in the panels
    QList<QDockWidget*> m_docks;
    QSize m_asked;              ///< requested initial size of the window
    bool m_sizesPanels = false; ///< when it is shown
    QMenu* m_panelsMenu;
    QDockWidget *m_modulesDock, *m_nodesDock, *m_legendDock, *m_codeDock, *m_tableDock, *m_problemsDock,
        *m_inspectorDock, *m_patternDock, *m_partitionDock, *m_changesDock, *m_historyDock, *m_verifyDock,
        *m_timingDock, *m_valuesDock;
    TaskSlot<QString> m_export{"window.export"};
    TaskSlot<std::vector<fx::Foreseen>> m_foresee{"window.foresee"};
    TaskSlot<fx::SaveReport> m_save{"window.save"};
    QPointer<SaveSheet> m_saveSheet;
    TaskSlot<std::shared_ptr<const VersionDifference>> m_comparing{"window.compare"};
    TaskSlot<std::pair<fx::Rehearsal, std::shared_ptr<const VersionDifference>>> m_preview{"window.preview"};
    TaskSlot<QImage> m_copy{"window.copy"};
    TaskSlot<QByteArray> m_recipe{"window.recipe"};
    BusyBar* m_busy;
    QLabel *m_fileLabel, *m_countLabel, *m_pictureLabel;
};

} // namespace ui
