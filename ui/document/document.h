// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/model_files/journal/journal.h"
#include "core/model_files/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "core/module/model_info.h"
#include "ui/document/document_operations.h"
#include "ui/document/document_picture.h"
#include "ui/document/find_index.h"
#include "ui/document/node_facts.h"
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

/// Edited code of a document that is not applied yet.
struct CodeDraft {
    QByteArray text;                                ///< the whole code
    std::shared_ptr<const fx::PythonCode> base;     ///< the original code
    std::shared_ptr<const fx::GraphModule> version; ///< the version with this code
    QString fault = {};                             ///< why it cannot be applied, as far as that is known
};

/// A file in the window: its module, derived data (code, search index, picture, problems) and the selection.
///
/// Panels meet here: they use the accessors and signals and do not know each other. Slow work runs in task slots on
/// snapshots; results arrive independently. GUI thread only.
class Document final : public QObject {
    Q_OBJECT
public:
    enum class State { Empty, Loading, Ready, Failed };

    /// A file to be loaded by `load`.
    explicit Document(QString path, QObject* parent = nullptr);
    ~Document() override;

    /// Reads the file, or again; `modelName` chooses among several in one archive. While it is read again, and when
    /// that fails, is cancelled or the model is changed meanwhile, everything stays as it is. Unsaved changes are given
    /// up.
    void load(const QString& modelName = {});
    /// Begins new Python source in a file that only Lancet knows (made here), until it is saved elsewhere.
    void begin(const QString& title, const QByteArray& text);
    /// Uses an existing module, such as a nested graph; `inputs`: as `projectInputs`.
    void adopt(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs = {});
    /// From now on every edit is refused, for this reason.
    void refuseEdits(fx::Error why) { m_editRefusal = std::move(why); }
    /// What is to be seen above its graph as long as it has no file of its own.
    void setNote(const QString& note);
    const QString& note() const { return m_note; }
    /// Whether and why that is so.
    const std::optional<fx::Error>& editRefusal() const { return m_editRefusal; }
    /// Uses a model with restored edits and continues their journal.
    void restore(const fx::OrphanedJournal& journal, fx::RecoveredModel model);
    /// Stops reading; the state becomes Failed with an error of kind Cancelled.
    void cancelLoading();

    State state() const { return m_state; }
    const QString& path() const { return m_path; }
    const QString& title() const { return m_title; } ///< the name of the opened or last saved file, for the tab
    /// Which graph of its file is shown: the method of a script, or the model of an archive with several. Empty where
    /// there is no other.
    QString graphName() const;
    /// "net.ts", or "net.ts · encode" where the file has several graphs.
    QString titleWithGraph() const {
        return graphName().isEmpty() ? m_title : m_title + QStringLiteral(" · ") + graphName();
    }
    /// Why the file could not be read; only while Failed.
    const fx::Error& error() const { return *m_error; }
    /// Not null while Ready.
    const std::shared_ptr<const fx::GraphModule>& module() const { return m_module; }
    /// The current version with known shapes in the metadata of its nodes, else `module`. Only for display: edits are
    /// based on `module`, and versions in the history have no such metadata.
    const std::shared_ptr<const fx::GraphModule>& shown() const { return m_shown ? m_shown : m_module; }
    /// The last known shapes, possibly of an earlier version; null if unknown.
    const std::shared_ptr<const ShapeNotes>& shapes() const { return m_shapes; }
    /// Sets the shapes of a version; ignored if another one is current. Failed nodes become problems. Null if unknown.
    void setShapes(std::shared_ptr<const ShapeNotes> shapes);
    /// Why the node's shape could not be inferred, or null.
    const fx::ShapeFailure* shapeFailure(fx::NodeId node) const;
    bool hasShapeFailures() const { return !m_shapeFailures.empty(); }
    /// The nodes with a `shapeFailure`, with its index in the failures of `shapes`.
    const std::vector<std::pair<fx::NodeId, std::size_t>>& shapeFailures() const { return m_shapeFailures; }
    /// Null until it is generated, or if that fails (then a problem explains why).
    const std::shared_ptr<const fx::PythonCode>& code() const { return m_code; }
    /// Null until it is built.
    const std::shared_ptr<const FindIndex>& findIndex() const { return m_index; }
    const std::vector<Problem>& problems() const { return m_problems; }
    /// The summary of the model; nullopt until it is computed.
    const std::optional<fx::ModelInfo>& info() const { return m_info; }
    /// How often each function, method and class of modules is called; empty until it is computed, with `info`.
    const CallCounts& calls() const { return m_calls; }
    /// Which edits drew new weights.
    const RandomWeights& randomWeights() const { return *m_randomWeights; }
    DocumentPicture& picture() { return *m_picture; }
    /// What the document is busy with.
    DocumentOperations& operations() const { return *m_operations; }

    /// Applies steps (a JSON array, docs/cli.md) as one change that can be undone. Returns false if they are refused:
    /// then `refused` was emitted and nothing has changed. Steps whose result equals the current version are no change:
    /// then `unchanged` was emitted.
    bool edit(const QString& name, const QByteArray& steps);
    /// The same with a known `result` of the steps on the current version.
    bool adoptEdit(const QString& name, const QByteArray& steps, std::shared_ptr<const fx::GraphModule> result);
    /// Unapplied code; kept here so that it survives switching tabs.
    const std::optional<CodeDraft>& draft() const { return m_draft; }
    void setDraft(std::optional<CodeDraft> draft);
    /// What checking the draft found; empty: nothing is wrong.
    void setDraftFault(const QString& fault) {
        if (m_draft) m_draft->fault = fault;
    }
    /// The same off the GUI thread, as one of the operations, for changes of the whole graph or with large new weights.
    /// Refused while another one runs, and when the model is changed meanwhile; `onDone` is called after it.
    void editInBackground(const QString& name, const QByteArray& steps, std::function<void()> onDone = {});
    void undo() {
        if (m_history && m_history->canUndo()) goToVersion(m_history->current() - 1);
    }
    void redo() {
        if (m_history && m_history->canRedo()) goToVersion(m_history->current() + 1);
    }
    /// Makes an entry of the history the current version.
    void goToVersion(std::size_t entry);
    /// The steps that lead to the current version, as a recipe for `lancet apply`.
    QByteArray recipe() const;
    /// Null until there is a module.
    const fx::History* history() const { return m_history ? &*m_history : nullptr; }
    /// Whether the current version differs from the one opened or saved last, or there is a draft.
    bool isModified() const;
    /// The Python source that the model is traced from; null for other models.
    DocumentSource* source() const { return m_source; }
    /// Whether the model has edits other than those in its source, so that it does not follow the source any more.
    /// When all are undone it follows again, unless the source was changed meanwhile: they could be redone.
    bool isDetached() const { return hasOwnHistory() && (m_history->canUndo() || m_isBehind); }
    /// Gives up these changes.
    void followSource();
    /// It has no file of its own yet: "Save" must ask.
    bool isUntitled() const { return m_isUntitled; }
    /// The text of the source was written to `path`, which is its file from now on.
    void setSourceSaved(const QString& path, const QByteArray& text, std::optional<fx::ModelIdentity> identity);
    bool hasUnsavedVersion() const { return m_history && (m_fileLost || m_history->model() != m_saved); }
    /// Its Python source has text that is not in its file.
    bool hasUnsavedSource() const;
    /// The graph of its Python source has edits of its own that are in no file: saving the text does not save them.
    bool hasUnsavedGraph() const { return isDetached() && m_history->model() != m_saved; }
    /// Its source could be traced only up to some statement: what the graph gives says nothing of the model.
    bool isPartial() const;
    /// The file has gone from the disk, or its content is another program's and not wanted: no version is saved until
    /// it is back or written again.
    void setFileLost(bool lost);
    /// A version was written to a file; with `path` the next "Save" goes there.
    void setSaved(const std::shared_ptr<const fx::GraphModule>& version, const QString& path = {});
    /// The file that "Save" writes: the last saved file, or the opened project; if empty, it must ask.
    const QString& target() const { return m_target; }
    /// "Save" writes the model that is read from `path` back to it: somebody waits for it.
    void setAwaited(const QString& path);
    /// The file that this document is: the one that "Save" writes, else the one that was opened.
    const QString& file() const { return m_target.isEmpty() ? m_path : m_target; }
    /// The format of `file`; only while Ready. `module` keeps the one that it was opened from.
    fx::Format fileFormat() const { return m_fileFormat; }
    /// The content of `file` as it was read or written last; nothing when that is not known.
    const std::optional<fx::ModelIdentity>& onDisk() const { return m_onDisk; }
    void setOnDisk(std::optional<fx::ModelIdentity> identity) { m_onDisk = std::move(identity); }
    /// What a project keeps of the view; `look`: where the canvas looks.
    QByteArray view(const ViewState::Look& look) const {
        return ViewState{m_selection, m_picture->options(), look, m_panels}.toJson(m_module->graph);
    }
    /// What panels keep for this document, by panel; part of its view.
    const QJsonObject& panelViews() const { return m_panels; }
    QJsonObject panelView(const QString& panel) const { return m_panels.value(panel).toObject(); }
    void setPanelView(const QString& panel, const QJsonObject& view);
    /// As they were when the document was open before.
    void restorePanelViews(const QJsonObject& views);
    /// The inputs stored in the project, or known from the model around a nested graph, as JSON of `fx::inputsJson`, or
    /// empty.
    const std::string& projectInputs() const { return m_projectInputs; }
    /// Whether a project's view is being restored: nothing else may move the picture.
    bool isRestoring() const { return m_look.has_value(); }
    /// The initial camera from the project; returned once.
    std::optional<ViewState::Look> takeLook() { return std::exchange(m_look, {}); }
    /// Records edits until they are saved; null for a model without a file. Call its `beforeOverwriting` before writing
    /// a file, from any thread.
    const std::shared_ptr<fx::Journal>& journal() const { return m_journal; }
    /// Why the edits cannot be recovered after a crash; empty if they can be.
    const QString& journalProblem() const { return m_journalProblem; }
    /// What was done is saved or discarded: nothing of it needs to be recovered.
    void endJournal();

    const std::vector<fx::NodeId>& selection() const { return m_selection; }
    bool isSelected(fx::NodeId node) const {
        return fx::index(node) < m_selected.size() && m_selected[fx::index(node)];
    }
    /// Selects these nodes, in this order, and nothing else. `source` is the originating view, which need not update
    /// itself.
    void select(std::vector<fx::NodeId> nodes, QObject* source);
    void selectAll();
    /// Selects the nodes of a module, which remains `selectedModule` until something else is selected.
    void selectModule(const QString& modulePath, QObject* source);
    const std::optional<QString>& selectedModule() const { return m_selectedModule; }
    /// The selected nodes in graph order.
    std::vector<fx::NodeId> selectionInGraphOrder() const;
    /// All nodes of a module and of the modules in it.
    std::vector<fx::NodeId> nodesOfModule(const QString& modulePath) const;
    /// Selects one node, opens the groups around it and asks the canvas to show it.
    void goTo(fx::NodeId node, QObject* source);
    /// The same for several nodes: groups around them are opened, and the canvas moves as little as shows them.
    void goTo(const std::vector<fx::NodeId>& nodes, QObject* source);
    /// Whether nodes are being selected that will be revealed.
    bool isGoing() const { return m_isGoing; }

Q_SIGNALS:
    void stateChanged();
    void codeChanged();
    void indexChanged();
    /// Of `problems`, `info` or `calls`, or other random weights.
    void problemsChanged();
    /// The shapes in `shown` have changed.
    void shapesChanged();
    void selectionChanged(QObject* source);
    void revealRequested(fx::NodeId node);
    void revealAllRequested(const std::vector<fx::NodeId>& nodes);
    /// A panel keeps something else.
    void panelViewChanged();
    /// Its source has another text or trace, or there is one now.
    void sourceChanged();
    /// What panels kept was read: they take it.
    void panelViewsRestored();
    /// A draft begins or ends.
    void draftChanged();
    /// Another version is current, or the current one was saved.
    void versionChanged();
    void refused(const fx::Error& error);
    /// Its file on disk is another one than it was.
    void diskChanged();
    void noteChanged();
    /// Its edits can no longer be recovered after a crash, for another reason, or again.
    void journalChanged();
    /// An edit is in the history. Told before `versionChanged`, so that what is said of its consequences comes after.
    void edited(const QString& name);
    /// An edit has left everything as it was, and is not in the history.
    void unchanged(const QString& name);

private:
    /// A model as opened from its file, with the versions of a project.
    struct Opened {
        fx::ProjectHistory project;
        std::optional<fx::ModelIdentity> identity;
        std::vector<std::shared_ptr<const fx::DataFile>> content = {};
    };
    /// Tells later whether all is as it is now: what was changed or typed while a file is read is not to be lost.
    std::function<bool()> unchangedSince() const;
    void loadSource(const QString& path);
    void takeTraced(fx::RecoveredModel model, DocumentSource* source);
    void restoreModel(const fx::OrphanedJournal& journal, fx::RecoveredModel model);
    void restoreSource(const fx::OrphanedJournal& journal, fx::RecoveredModel model);
    void restoreDraft(const fx::OrphanedJournal& journal, const std::shared_ptr<const fx::PythonCode>& base, bool fits);
    void takeTrace();
    void noteTraced();
    bool isOfTheTrace() const;
    /// The model of a source has versions of its own, even if all are undone.
    bool hasOwnHistory() const { return m_source && m_history && m_history->entries().size() > 1; }
    void newJournal();
    /// Makes a result that differs the current version.
    void addVersion(const QString& name, const QByteArray& steps, std::shared_ptr<const fx::GraphModule> result);
    void follow(std::shared_ptr<const fx::GraphModule> module);
    void adopt(Opened opened, const QString& file);
    void loadingCancelled();
    static Opened open(const std::string& path, const fx::OpenOptions& options, const fx::Progress& progress);
    void setJournalProblem(const QString& problem);
    /// Writes to the journal; a failure is one of the problems of the version.
    void record(const std::function<void(fx::Journal&)>& write);
    void recordDraftSoon();
    void recordDraft();
    std::size_t entryOf(const std::shared_ptr<const fx::GraphModule>& version) const;
    /// `before`: the graph that the selection is of; null: of this one.
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
    std::optional<ViewState::Look> m_look;
    QJsonObject m_panels;
    bool m_isGoing = false;
    std::string m_projectInputs;
    State m_state = State::Empty;
    std::optional<fx::Error> m_error;
    std::shared_ptr<const fx::GraphModule> m_module, m_saved, m_shown;
    std::shared_ptr<const ShapeNotes> m_shapes;
    std::vector<std::pair<fx::NodeId, std::size_t>> m_shapeFailures; ///< of the current version: indices in m_shapes
    std::optional<fx::History> m_history;
    std::shared_ptr<fx::Journal> m_journal;
    QString m_note;
    QString m_journalProblem; ///< why the last change is not in the journal
    std::optional<CodeDraft> m_draft;
    QTimer m_draftPause;          ///< runs while one types
    bool m_fileLost = false;      ///< since it was opened or saved
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
    QByteArray m_graphText;     ///< the source text that the first version was traced from
    QJsonObject m_graphChoices; ///< and how
    bool m_isBehind = false;    ///< the source was traced to something else since, while the model had edits of its own
    bool m_isUntitled = false;
    DocumentPicture* m_picture;
    DocumentOperations* m_operations;
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
