// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "core/module/model_info.h"
#include "ui/document/document_journal.h"
#include "ui/document/document_operations.h"
#include "ui/document/document_picture.h"
#include "ui/document/find_index.h"
#include "ui/document/node_facts.h"
#include "ui/document/panel_views.h"
#include "ui/document/problems_model.h"
#include "ui/document/shape_notes.h"
#include "ui/document/view_state.h"
#include "ui/tasks/task_slot.h"

#include <QElapsedTimer>
#include <QTimer>

#include <optional>

namespace ui {

class DocumentSource;
class RandomWeights;
struct LoadedFile; ///< what a file turned out to be, document_load.cpp
struct SourceChoices;

/// Edited code of a document that is not applied yet.
struct CodeDraft {
    QByteArray text;                                ///< the whole edited code
    std::shared_ptr<const fx::PythonCode> base;     ///< the original code
    std::shared_ptr<const fx::GraphModule> version; ///< the version with this code
    QString fault = {};                             ///< why it cannot be applied; empty while unknown
};

/// A file in the window: its module, derived data (code, search index, picture, problems) and the selection.
///
/// Panels meet here: they use its accessors and signals and do not know each other. Slow work runs in task slots on
/// snapshots, and each result arrives independently. GUI thread only.
class Document final : public QObject {
    Q_OBJECT
public:
    /// Empty before `load`; Failed if the file could not be read.
    enum class State { Empty, Loading, Ready, Failed };

    /// Creates a document for a file that `load` will read.
    explicit Document(QString path, QObject* parent = nullptr, fx::Readers readers = {});
    ~Document() override;

    /// Reads the file, or reads it again. `modelName` selects a model of an archive with several. Reading again keeps
    /// everything until it succeeds, and also if it fails, is cancelled, or the model or its code changes meanwhile.
    /// When it succeeds, unsaved changes are lost.
    void load(const QString& modelName = {});
    /// Starts a new Python source in a private file of Lancet, until it is saved elsewhere.
    void begin(const QString& title, const QByteArray& text);
    /// Uses an existing module, such as a nested graph. `inputs` become `projectInputs`.
    void adopt(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs = {});
    /// Refuses every edit from now on with `why`.
    void refuseEdits(fx::Error why) { m_editRefusal = std::move(why); }
    /// Sets the note above the graph of a document that has no file.
    void setNote(const QString& note);
    const QString& note() const { return m_note; } ///< The note of `setNote`.
    /// The reason why all edits are refused; nullopt if they are allowed.
    const std::optional<fx::Error>& editRefusal() const { return m_editRefusal; }
    /// Uses a model with restored edits and continues their journal. Source without a file gets the title `untitled`.
    void restore(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled = {});

    /// How files and edits of the document are read.
    const fx::Readers& readers() const { return m_readers; }
    void setReaders(fx::Readers readers) { m_readers = std::move(readers); } ///< Sets `readers`.

    State state() const { return m_state; }        ///< The state of the file.
    const QString& path() const { return m_path; } ///< The file as it was opened; for untitled source its private file.
    const QString& title() const { return m_title; } ///< the name of the opened or last saved file, for the tab
    /// The graph of the file that is shown: the method of a script, or the model of an archive with several. Empty if
    /// there is only one.
    QString graphName() const;
    /// The title "net.ts", or "net.ts · encode" if the file has several graphs.
    QString titleWithGraph() const {
        return graphName().isEmpty() ? m_title : m_title + QStringLiteral(" · ") + graphName();
    }
    /// The error of reading the file; only while Failed.
    const fx::Error& error() const { return *m_error; }
    /// The current version; not null while Ready.
    const std::shared_ptr<const fx::GraphModule>& module() const { return m_module; }
    /// The current version with inferred shapes in its metadata, else `module`. Only for display: edits are based on
    /// `module`, and versions in the history lack these shapes.
    const std::shared_ptr<const fx::GraphModule>& shown() const { return m_shown ? m_shown : m_module; }
    /// The last known shapes, possibly of an earlier version; null if unknown.
    const std::shared_ptr<const ShapeNotes>& shapes() const { return m_shapes; }
    /// Sets the shapes of the current version; ignored if they are of another version. Failures become problems. Null:
    /// unknown.
    void setShapes(std::shared_ptr<const ShapeNotes> shapes);
    /// Requests all shapes, also those that need run-time values or code of the file.
    void askForShapes() { Q_EMIT shapesAsked(); }
    /// The reason why the shape of a node could not be inferred, or null.
    const fx::ShapeFailure* shapeFailure(fx::NodeId node) const;
    bool hasShapeFailures() const { return !m_shapeFailures.empty(); } ///< True if a node has a `shapeFailure`.
    /// The nodes with a `shapeFailure`, each with its index in the failures of `shapes`.
    const std::vector<std::pair<fx::NodeId, std::size_t>>& shapeFailures() const { return m_shapeFailures; }
    /// The code of the current version; null until it is generated, and if that fails, which adds a problem.
    const std::shared_ptr<const fx::PythonCode>& code() const { return m_code; }
    /// The search index of the current version; null until it is built.
    const std::shared_ptr<const FindIndex>& findIndex() const { return m_index; }
    /// Problems of the reader, of lint and of shapes.
    const std::vector<Problem>& problems() const { return m_problems; }
    /// The summary of the model; nullopt until it is computed.
    const std::optional<fx::ModelInfo>& info() const { return m_info; }
    /// The number of calls of each function, method and module class; empty until `info` is computed.
    const CallCounts& calls() const { return m_calls; }
    /// The random weights that edits have drawn.
    const RandomWeights& randomWeights() const { return *m_randomWeights; }
    DocumentPicture& picture() { return *m_picture; } ///< The picture of the graph.
    /// The running operations of the document.
    DocumentOperations& operations() const { return *m_operations; }

    /// Applies steps as one change that can be undone. Returns false and changes nothing if they are refused (emits
    /// `refused`), or if the result equals the current version (emits `unchanged`).
    bool edit(const QString& name, const fx::StepList& steps);
    /// Like `edit`, with the known `result` of the steps on the current version.
    bool adoptEdit(const QString& name, const fx::StepList& steps, std::shared_ptr<const fx::GraphModule> result);
    /// Unapplied code; kept here so that it survives switching tabs.
    const std::optional<CodeDraft>& draft() const { return m_draft; }
    /// Replaces the draft and records it in the journal shortly after; nullopt discards it.
    void setDraft(std::optional<CodeDraft> draft);
    /// Sets the result of checking the draft; empty if it can be applied.
    void setDraftFault(const QString& fault) {
        if (m_draft) m_draft->fault = fault;
    }
    /// Like `edit`, but off the GUI thread as an operation, for changes of the whole graph or with large new weights.
    /// Refused while another such edit runs, and if the model changes meanwhile. Calls `onDone` only after the edit was
    /// applied.
    void editInBackground(const QString& name, const fx::StepList& steps, std::function<void()> onDone = {});
    /// Goes to the previous version, if there is one.
    void undo() {
        if (m_history && m_history->canUndo()) goToVersion(m_history->current() - 1);
    }
    /// Goes to the next version, if there is one.
    void redo() {
        if (m_history && m_history->canRedo()) goToVersion(m_history->current() + 1);
    }
    /// Makes an entry of the history the current version.
    void goToVersion(std::size_t entry);
    /// The versions of the model; null until there is a module.
    const fx::History* history() const { return m_history ? &*m_history : nullptr; }
    /// True if the current version differs from the one opened or saved last, or if there is a draft or unsaved source.
    bool isModified() const;
    /// The Python source from which the model is traced; null for other models.
    DocumentSource* source() const { return m_source; }
    /// True if the graph has edits besides its source and so no longer follows the source. If all are undone, it
    /// follows again, unless the source changed meanwhile: the edits could be redone.
    bool isDetached() const { return hasOwnHistory() && (m_history->canUndo() || m_isBehind); }
    /// Discards these edits, so that the graph follows the source again.
    void followSource();
    /// True while the document has no file of the user, so that "Save" must ask for one.
    bool isUntitled() const { return m_isUntitled; }
    /// Keeps the journal on disk for the next start, because the process is about to be ended from outside.
    void leaveJournal();
    /// Records that `text` of the source was written to `path`, which becomes the file of the document.
    void setSourceSaved(const QString& path, const QByteArray& text, std::optional<fx::ModelIdentity> identity);
    /// True if the current version is not in the file.
    bool hasUnsavedVersion() const { return m_history && (m_fileLost || m_history->model() != m_saved); }
    /// True if the Python source has text that is not in its file.
    bool hasUnsavedSource() const;
    /// True if the graph of a Python source has edits that are in no file. Saving the text does not save them.
    bool hasUnsavedGraph() const { return isDetached() && m_history->model() != m_saved; }
    /// True if the source could only be traced up to some statement. Results of this graph say nothing about the model.
    bool isPartial() const;
    /// Marks the file as lost: deleted, or replaced by another program's content that the user rejected. No version
    /// counts as saved until the file is back or written again.
    void setFileLost(bool lost);
    /// Records that `version` was written to a file. A nonempty `path` becomes the target of "Save".
    void setSaved(const std::shared_ptr<const fx::GraphModule>& version, const QString& path = {});
    /// The file that "Save" writes: the last saved file or the opened project. Empty: "Save" must ask.
    const QString& target() const { return m_target; }
    /// Makes "Save" write to `path`, from which the model is read, because another program waits for the result.
    void setAwaited(const QString& path);
    /// The file of the document: the target of "Save", else the opened file.
    const QString& file() const { return m_target.isEmpty() ? m_path : m_target; }
    /// The format of `file`; only while Ready. `module` keeps the format from which it was opened.
    fx::Format fileFormat() const { return m_fileFormat; }
    /// The identity of the content of `file` when it was last read or written; nullopt if unknown.
    const std::optional<fx::ModelIdentity>& onDisk() const { return m_onDisk; }
    void setOnDisk(std::optional<fx::ModelIdentity> identity) { m_onDisk = std::move(identity); } ///< Sets `onDisk`.
    /// Returns the view to store in a project; `look` is the camera of the canvas.
    QByteArray view(const ViewState::Look& look) const {
        return ViewState{m_selection, m_picture->options(), look, m_panelViews->all()}.toJson(m_module->graph);
    }
    /// The state that panels keep for this document; part of its view.
    PanelViews& panelViews() const { return *m_panelViews; }
    /// The inputs stored in the project, or known from the model around a nested graph, as JSON of `fx::inputsJson`;
    /// empty if unknown.
    const std::string& projectInputs() const { return m_projectInputs; }
    /// True while a project's view is being restored: nothing else may move the camera.
    bool isRestoring() const { return m_look.has_value(); }
    /// True if the selection was restored from the project and the user has selected nothing since.
    bool isSelectionRestored() const { return m_selectionRestored; }
    /// Returns the initial camera from the project, the first time only.
    std::optional<ViewState::Look> takeLook() { return std::exchange(m_look, {}); }
    DocumentJournal& journal() const { return *m_journal; } ///< The journal of edits until they are saved.
    /// True if the model came from a crash journal; its file may have a different model.
    bool isRestored() const { return m_isRestored; }
    /// Removes the journal, because all edits are saved or discarded.
    void endJournal();

    const std::vector<fx::NodeId>& selection() const { return m_selection; } ///< The selected nodes, in order.
    /// True if the node is selected. O(1).
    bool isSelected(fx::NodeId node) const {
        return fx::index(node) < m_selected.size() && m_selected[fx::index(node)];
    }
    /// Selects exactly these nodes, in this order. `source` is the originating view, which need not update itself.
    void select(std::vector<fx::NodeId> nodes, QObject* source);
    /// Selects all nodes, in graph order.
    void selectAll();
    /// Selects the nodes of a module, which remains `selectedModule` until something else is selected.
    void selectModule(const QString& modulePath, QObject* source);
    /// The module of `selectModule`, or nullopt.
    const std::optional<QString>& selectedModule() const { return m_selectedModule; }
    /// Returns the selected nodes in graph order.
    std::vector<fx::NodeId> selectionInGraphOrder() const;
    /// Returns all nodes of a module and of the modules in it. Linear.
    std::vector<fx::NodeId> nodesOfModule(const QString& modulePath) const;
    /// Selects one node, opens the groups around it and asks the canvas to show it.
    void goTo(fx::NodeId node, QObject* source);
    /// Selects several nodes and opens the groups around them. The canvas moves only as far as needed to show them.
    void goTo(const std::vector<fx::NodeId>& nodes, QObject* source);
    /// True while `goTo` selects nodes that it is about to reveal.
    bool isGoing() const { return m_isGoing; }

Q_SIGNALS:
    /// Emitted when `state` changes, and for each new version.
    void stateChanged();
    /// Emitted when the file is the dump of a compilation, or with `stage` a graph in it. Without, there is no model,
    /// and the document is of no further use.
    void dumpFound(const QString& dump, const QString& stage);
    /// Emitted when `code` was generated or could not be.
    void codeChanged();
    /// Emitted when `findIndex` was built.
    void indexChanged();
    /// Emitted when `problems`, `info`, `calls` or the random weights change.
    void problemsChanged();
    /// Emitted by `askForShapes`.
    void shapesAsked();
    /// Emitted when `shapes` and `shown` change.
    void shapesChanged();
    /// Emitted when the selection changes; `source` is the originating view, or null.
    void selectionChanged(QObject* source);
    /// Emitted when the canvas must show a node, which is drawn.
    void revealRequested(fx::NodeId node);
    /// Emitted when the canvas must show several nodes, which are drawn.
    void revealAllRequested(const std::vector<fx::NodeId>& nodes);
    /// Emitted when text, choices or trace of the source change, or the document gets a source.
    void sourceChanged();
    /// Emitted when a draft begins or ends, or the source changes.
    void draftChanged();
    /// Emitted when another version is current, or the current version was saved.
    void versionChanged();
    /// Emitted when an edit was refused; nothing has changed.
    void refused(const fx::Error& error);
    /// Emitted when the file changed on disk.
    void diskChanged();
    /// Emitted when `note` changes.
    void noteChanged();
    /// Emitted when an edit has been added to the history. Emitted before `versionChanged`, so that messages about the
    /// consequences come later.
    void edited(const QString& name);
    /// Emitted when an edit had no effect and was not added to the history.
    void unchanged(const QString& name);

private:
    /// Returns a predicate: true while model and text are unchanged. It protects changes made while a file is read.
    std::function<bool()> unchangedSince() const;
    void takeTraced(fx::RecoveredModel model, DocumentSource* source);
    void restoreModel(const fx::OrphanedJournal& journal, fx::RecoveredModel model);
    void restoreSource(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled);
    void restoreDraft(const fx::OrphanedJournal& journal, const std::shared_ptr<const fx::PythonCode>& base, bool fits);
    void takeTrace();
    void noteTraced();
    bool isOfTheTrace() const;
    /// True if the model of a source has other versions than the traced one, even if all edits are undone.
    bool hasOwnHistory() const { return m_source && m_history && m_history->entries().size() > 1; }
    void newJournal();
    /// Makes `result`, which differs from the current version, the current version.
    void addVersion(const QString& name, const fx::StepList& steps, std::shared_ptr<const fx::GraphModule> result);
    void follow(std::shared_ptr<const fx::GraphModule> module);
    void adopt(LoadedFile loaded, const QString& path, const SourceChoices& choices);
    void adoptSource(const QString& file, fx::ModelIdentity identity, DocumentSource* source);
    SourceChoices choicesToLoad(const QString& path) const;
    void recordDraftSoon();
    void recordDraft();
    /// `before` is the graph of the selection; null if that is the current one.
    void showVersion(const fx::Graph* before = nullptr);
    void take(fx::RecoveredModel model);
    void restoreView(const std::string& json);
    void fail(const fx::Error& error);
    void setState(State state);
    void generateCode();
    void buildIndex();
    void check();
    void setSelection(std::vector<fx::NodeId> nodes);
    void addProblem(Problem problem);

    QString m_path, m_title, m_target, m_awaited;
    fx::Readers m_readers;
    std::optional<ViewState::Look> m_look;
    bool m_isGoing = false;
    std::string m_projectInputs;
    State m_state = State::Empty;
    std::optional<fx::Error> m_error;
    std::shared_ptr<const fx::GraphModule> m_module, m_saved, m_shown;
    std::shared_ptr<const ShapeNotes> m_shapes;
    bool m_restoresSelection = false, m_selectionRestored = false;
    /// Failures of the current version, with their indexes in `m_shapes`.
    std::vector<std::pair<fx::NodeId, std::size_t>> m_shapeFailures;
    std::optional<fx::History> m_history;
    QString m_note;
    bool m_isRestored = false;
    std::optional<CodeDraft> m_draft;
    QTimer m_draftPause{this};    ///< runs while the user types
    bool m_fileLost = false;      ///< the file was lost after it was opened or saved
    QElapsedTimer m_draftChanged; ///< since the first change that is not in the journal
    std::optional<fx::ModelIdentity> m_onDisk;
    fx::Format m_fileFormat = fx::Format::GraphModule;
    std::shared_ptr<const fx::PythonCode> m_code;
    std::shared_ptr<const FindIndex> m_index;
    std::vector<Problem> m_problems;
    std::optional<fx::Error> m_editRefusal;
    std::optional<fx::ModelInfo> m_info;
    CallCounts m_calls;
    std::vector<fx::NodeId> m_selection;
    std::optional<QString> m_selectedModule;
    std::vector<char> m_selected; ///< by node id
    DocumentSource* m_source = nullptr;
    QByteArray m_graphText;     ///< the source text of the first version
    QJsonObject m_graphChoices; ///< its choices
    bool m_isBehind = false;    ///< the source has another trace while the model has its own edits
    bool m_isUntitled = false;
    DocumentPicture* m_picture;
    DocumentOperations* m_operations;
    DocumentJournal* m_journal;
    PanelViews* m_panelViews;
    RandomWeights* m_randomWeights;
    TaskSlot<std::shared_ptr<const fx::PythonCode>> m_coding{"document.code"};
    TaskSlot<std::shared_ptr<const FindIndex>> m_indexing{"document.index"};
    struct Checked {
        std::vector<Problem> problems;
        fx::ModelInfo info;
        CallCounts calls;
    };
    TaskSlot<Checked> m_checking{"document.problems"};
};

} // namespace ui
