// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/source_calls.h"
#include "core/remote/model_sender.h"
#include "ui/document/current_document.h"
#include "ui/edit/node_clipboard.h"
#include "ui/shell/exporter.h"
#include "ui/shell/window/panels.h"
#include "ui/shell/window/status_message.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/theme.h"

#include <QCloseEvent>
#include <QMainWindow>
#include <QPointer>

class QStackedWidget;

namespace ui {

class BusyBar;
class CanvasColours;
class Closing;
class CommandPalette;
class DocumentPage;
class DocumentTabs;
class DroppedFiles;
class FindBar;
class GraphEdits;
class ModelActions;
class NestedGraphs;
class NodeMenus;
class PanelDocks;
class PassActions;
class PictureActions;
class Previews;
class Recipes;
class RecoveryBar;
class RunCenter;
class RunPanels;
class SaveCenter;
class Settings;
class StatusLine;
class DocumentSource;
class WelcomePage;

/// The window: tabs of documents in the middle, panels around them, menus above. It only connects these parts, which
/// implement the behaviour.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    /// `settings` must outlive the window. `python` follows Python; null: this process does.
    explicit MainWindow(Settings& settings, std::shared_ptr<fx::SourceReader> python = nullptr,
                        QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens a file in a new tab, or switches to its tab.
    void openFile(const QString& path);
    /// Opens new Python source in a new tab.
    void newSource();
    /// Opens the dialog that traces a model with the user's own Python.
    void traceWithPython();
    void showTrustCard();
    /// Opens a module in a new tab; for `inputs` see Document::adopt.
    Document* openModule(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs = {});
    /// Offers to recover edits that a crashed process left in `folder`, immediately and when their file is opened.
    void offerRecovery(const QString& folder);
    /// The current page; null if no file is open.
    DocumentPage* currentPage() const;
    Document* currentDocument() const;              ///< The document of the current page, or null.
    WindowActions& actions() { return *m_actions; } ///< The actions of the window.
    RunCenter& run() { return *m_run; }             ///< The runs of the documents.
    BusyBar& busyBar() { return *m_busy; }          ///< The operations in the status bar.
    /// Removes all journals, because the user has saved or discarded all changes and the window is closed for good.
    /// Only destruction may follow.
    void endDocuments();
    /// Keeps all journals for the next start, because the process is terminated from outside. Only the end of the
    /// process may follow.
    void leaveDocuments();
    /// Exports a picture of the page in front, off the GUI thread.
    void exportFile(const QString& path, ExportKind kind);
    /// Saves the document in front; see SaveCenter.
    void saveTo(const QString& path);
    /// Previews a recipe on the current document, and applies it if accepted.
    void applyRecipe(const QString& path);
    /// Renames a node of the current document.
    void renameNode(const QString& old, const QString& name);
    /// Shows a message in the status bar for a few seconds.
    void notify(const QString& text) { m_message->show(text); }
    void setVisible(bool visible) override;
    /// Returns the context menu of the tool bar: the panels, as in the View menu, and the tool bar itself.
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
    // main_window.cpp: parts
    void makeCentre();
    void makeRun();
    fx::remote::CompleteModel completeCalls();
    void makeOperations();
    void makePanels();
    void makeBars();
    void placeFindBar();
    void closeFind();
    void updateActions();
    void showVersion();

    // main_window_actions.cpp: actions
    void connectFileActions();
    void connectEditActions();
    void connectGraphActions();
    void connectPanelActions();
    void connectViewActions();
    void chooseTheme(ThemeChoice choice);
    void setDirection(fx::Direction direction);
    void copyNodes();

    // main_window_files.cpp: opening and recovering documents
    void openDialog();
    void showDump(Document& document, const QString& dump, const QString& stage);
    void openStage(const QString& path, const QString& node);
    void openRecovered(const std::shared_ptr<fx::OrphanedJournal>& journal,
                       const std::shared_ptr<fx::RecoveredModel>& model);

    // main_window_pages.cpp: their pages
    void addPage(Document* document);
    void connectPage(DocumentPage* page);
    void pageChanged(DocumentPage* page);
    void noteSource(const DocumentSource& source);
    void switchPage();

    // main_window_closing.cpp: writing and closing them
    void reload(Document& document, const QString& modelName = {});
    Closing* newClosing(const QList<Document*>& documents);
    void closePages(const QList<Document*>& documents);
    bool mayQuit();

    Settings& m_settings;
    fx::Readers m_readers;                    ///< of all documents
    std::shared_ptr<fx::SourceCalls> m_calls; ///< what only Python source defines, for the worker
    std::size_t m_tracedCalls = 0;            ///< that were told last
    WindowActions* m_actions;
    CurrentDocument m_current;
    QStackedWidget* m_centre;
    WelcomePage* m_welcome;
    DocumentTabs* m_tabs = nullptr;
    FindBar* m_findBar;
    RecoveryBar* m_recovery = nullptr;
    CommandPalette* m_palette;
    RunCenter* m_run;
    std::unique_ptr<Panels> m_panels;
    PanelDocks* m_docks;
    RunPanels* m_runPanels;
    CanvasColours* m_colours;
    SaveCenter* m_saves;
    Previews* m_previews;
    Recipes* m_recipes;
    GraphEdits* m_edits;
    NodeMenus* m_menus;
    PictureActions* m_pictures;
    PassActions* m_passes;
    NodeClipboard* m_clipboard;
    NestedGraphs* m_nested;
    DroppedFiles* m_dropped;
    BusyBar* m_busy;
    StatusLine* m_status;
    StatusMessage* m_message;     ///< in the status bar
    QPointer<Closing> m_quitting; ///< set while it waits
    bool m_mayQuit = false;
};

} // namespace ui
