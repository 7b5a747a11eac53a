// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/document/node_rows_model.h"
#include "ui/edit/call_dialog.h"
#include "ui/edit/node_clipboard.h"
#include "ui/shell/operations/export_dialog.h"
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
class Closing;
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
class PictureExports;
class Previews;
class ProblemsPanel;
class Recipes;
class ResultHost;
class ResultSession;
class RunCenter;
class RecoveryBar;
class SaveCenter;
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
    /// `inputs`: see Document::adopt.
    void openModule(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs = {});
    /// Enables recovery of edits that a crashed process left in `folder`: immediately, and when their file is opened.
    void offerRecovery(const QString& folder);
    /// The current page; null if no file is open.
    DocumentPage* currentPage() const;
    Document* currentDocument() const;
    WindowActions& actions() { return *m_actions; }
    RunCenter& run() { return *m_run; }
    BusyBar& busyBar() { return *m_busy; }
    /// The window is closed for good: what was done is saved or discarded, so no journal stays. Only destruction
    /// follows.
    void endDocuments();
    /// Writes a picture of the page in front, off the GUI thread.
    void exportFile(const QString& path, ExportKind kind);
    /// Saves the document in front, see SaveCenter.
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
    void changeEvent(QEvent* event) override;
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
    void connectPage(DocumentPage* page);
    void followShown();
    void updateTabs();
    void eraseSelected();
    void erase(Document& document, const QString& name, const QByteArray& steps);
    void insertOrChange(CallDialog::Task task);
    void findPattern();
    void showMatches();
    /// The legend of the current canvas; empty for the kinds of nodes.
    ColourLegend colourLegend() const;
    void showNodeMenu(const QPoint& position);
    void showEdgeMenu(const QPoint& position, fx::NodeId from, fx::NodeId to);
    void connectNodes(const QPoint& position, fx::NodeId from, fx::NodeId to);
    void openCallDialog(CallDialog* dialog);
    void makeNodes(const QString& name, const QByteArray& steps);
    void changeModel(Document& document, const QString& name, const QByteArray& steps, std::function<void()> onDone);
    void renameSelected();
    void renameOnCanvas(fx::NodeId node);
    void changeInPlace(Document& document, const QString& name, const std::function<QByteArray()>& steps);
    void changeCell(Document& document, fx::NodeId id, NodeRowsModel::Field field, const QString& text);
    void renameNode(Document& document, const QString& old, const QString& name);
    void connectPlaces();
    void showVersion();
    void tellRefusal(const fx::Error& error);
    void tellRefusal(const Document& document, const fx::Error& error);
    void switchPage();
    void fillSamplesMenu();
    void fillRecentMenu();
    void fillModelsMenu();
    void exportAs(ExportKind kind);
    void exportPicture(ExportKind kind);
    ExportRequest exportRequest(ExportKind kind) const;
    static QString plainTabText(QString title);
    void pageChanged(DocumentPage* page);

    // main_window_save.cpp: what documents are busy with, saving and closing
    void makeOperations();
    QList<Document*> documents() const;
    DocumentPage* pageOf(const Document& document) const;
    void reload(Document& document, const QString& modelName = {});
    Closing* newClosing(const QList<Document*>& documents);
    void closePages(const QList<Document*>& documents);
    void removePage(DocumentPage* page);
    bool mayQuit();
    void keepSettings();

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
    QTabWidget* m_tabs = nullptr;
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
    QList<QMetaObject::Connection> m_following; ///< to the document that is shown
    SaveCenter* m_saves;
    PictureExports* m_exports;
    ExportChoice m_exportChoice; ///< the last one
    Previews* m_previews;
    Recipes* m_recipes;
    QPointer<Closing> m_quitting; ///< while it waits
    bool m_mayQuit = false;
    BusyBar* m_busy;
    QLabel *m_fileLabel, *m_countLabel, *m_pictureLabel;
};

} // namespace ui
