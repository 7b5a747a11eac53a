// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "ui/document/document_file.h"
#include "ui/document/document_journal.h"
#include "ui/document/document_operations.h"
#include "ui/document/document_picture.h"
#include "ui/document/document_shapes.h"
#include "ui/document/document_versions.h"
#include "ui/document/node_selection.h"
#include "ui/document/panel_views.h"
#include "ui/document/version_facts.h"
#include "ui/document/view_state.h"

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

/// A file in the window: it connects the parts that make up an open model and keeps them at the same version.
///
/// Panels meet here: they use the parts and their signals and do not know each other. Slow work runs in task slots on
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
    /// Sets the note above the graph of a document that has no file.
    void setNote(const QString& note);
    const QString& note() const { return m_note; } ///< The note of `setNote`.
    /// Uses a model with restored edits and continues their journal. Source without a file gets the title `untitled`.
    void restore(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled = {});

    /// How files and edits of the document are read.
    const fx::Readers& readers() const { return m_readers; }
    /// Sets `readers`.
    void setReaders(const fx::Readers& readers) {
        m_versions->setReaders(readers);
        m_readers = readers;
    }

    /// Disconnects `listener` from the document and its parts, before it shows another document.
    void release(const QObject* listener);

    State state() const { return m_state; } ///< The state of the file.
    /// The error of reading the file; only while Failed.
    const fx::Error& error() const { return *m_error; }
    DocumentFile& file() const { return *m_file; }             ///< Where the model comes from, and where "Save" writes.
    DocumentVersions& versions() const { return *m_versions; } ///< The versions of the model; edits create them.
    /// The current version; not null while Ready.
    const std::shared_ptr<const fx::GraphModule>& module() const { return m_versions->current(); }
    DocumentShapes& shapes() const { return *m_shapes; }      ///< The inferred shapes of the current version.
    VersionFacts& facts() const { return *m_facts; }          ///< Code, search index and problems of the version.
    NodeSelection& selection() const { return *m_selection; } ///< The selected nodes.
    DocumentPicture& picture() const { return *m_picture; }   ///< The picture of the graph.
    /// The random weights that edits have drawn.
    const RandomWeights& randomWeights() const { return *m_randomWeights; }
    /// The running operations of the document.
    DocumentOperations& operations() const { return *m_operations; }
    DocumentJournal& journal() const { return *m_journal; } ///< The journal of edits until they are saved.
    /// The state that panels keep for this document; part of its view.
    PanelViews& panelViews() const { return *m_panelViews; }

    /// Unapplied code; kept here so that it survives switching tabs.
    const std::optional<CodeDraft>& draft() const { return m_draft; }
    /// Replaces the draft and records it in the journal shortly after; nullopt discards it.
    void setDraft(std::optional<CodeDraft> draft);
    /// Sets the result of checking the draft; empty if it can be applied.
    void setDraftFault(const QString& fault) {
        if (m_draft) m_draft->fault = fault;
    }
    /// True if the current version differs from the one opened or saved last, or if there is a draft or unsaved source.
    bool isModified() const;
    /// The Python source from which the model is traced; null for other models.
    DocumentSource* source() const { return m_source; }
    /// True if the graph has edits besides its source and so no longer follows the source. If all are undone, it
    /// follows again, unless the source changed meanwhile: the edits could be redone.
    bool isDetached() const { return hasOwnHistory() && (m_versions->history()->canUndo() || m_isBehind); }
    /// Discards these edits, so that the graph follows the source again.
    void followSource();
    /// Keeps the journal on disk for the next start, because the process is about to be ended from outside.
    void leaveJournal();
    /// Records that `text` of the source was written to `path`, which becomes the file of the document.
    void setSourceSaved(const QString& path, const QByteArray& text, std::optional<fx::ModelIdentity> identity);
    /// True if the current version is not in the file.
    bool hasUnsavedVersion() const { return module() && (m_file->isLost() || !m_versions->isSaved()); }
    /// True if the Python source has text that is not in its file.
    bool hasUnsavedSource() const;
    /// True if the graph of a Python source has edits that are in no file. Saving the text does not save them.
    bool hasUnsavedGraph() const { return isDetached() && !m_versions->isSaved(); }
    /// True if the source could only be traced up to some statement. Results of this graph say nothing about the model.
    bool isPartial() const;
    /// Marks the file as lost: deleted, or replaced by another program's content that the user rejected. No version
    /// counts as saved until the file is back or written again.
    void setFileLost(bool lost);
    /// Records that `version` was written to a file. A nonempty `path` becomes the target of "Save".
    void setSaved(const std::shared_ptr<const fx::GraphModule>& version, const QString& path = {});
    /// The inputs stored in the project, or known from the model around a nested graph, as JSON of `fx::inputsJson`;
    /// empty if unknown.
    const std::string& projectInputs() const { return m_projectInputs; }
    /// True if the model came from a crash journal; its file may have a different model.
    bool isRestored() const { return m_isRestored; }

Q_SIGNALS:
    /// Emitted when `state` changes, and for each new version.
    void stateChanged();
    /// Emitted when the file is the dump of a compilation, or with `stage` a graph in it. Without, there is no model,
    /// and the document is of no further use.
    void dumpFound(const QString& dump, const QString& stage);
    /// Emitted when text, choices or trace of the source change, or the document gets a source.
    void sourceChanged();
    /// Emitted when a draft begins or ends, or the source changes.
    void draftChanged();
    /// Emitted when another version is current, or the current version was saved.
    void versionChanged();
    /// Emitted when the file changed on disk.
    void diskChanged();
    /// Emitted when `note` changes.
    void noteChanged();

private:
    void takeTraced(fx::RecoveredModel model, DocumentSource* source);
    void restoreSource(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled);
    void restoreDraft(const fx::OrphanedJournal& journal, const std::shared_ptr<const fx::PythonCode>& base, bool fits);
    void takeTrace();
    void noteTraced();
    /// True if the model of a source has other versions than the traced one, even if all edits are undone.
    bool hasOwnHistory() const { return m_source && module() && m_versions->history()->entries().size() > 1; }
    void newJournal();
    void follow(std::shared_ptr<const fx::GraphModule> trace);
    void adopt(LoadedFile loaded, const QString& path, const SourceChoices& choices);
    void adoptSource(const QString& file, fx::ModelIdentity identity, DocumentSource* source);
    void recordDraftSoon();
    std::optional<fx::JournalDraft> journalDraft() const;
    void showVersion(bool isSelectionChanged);
    void showShapes(bool differ);
    void take(fx::RecoveredModel model);
    void restoreView(const std::string& json);
    void fail(const fx::Error& error);
    void setState(State state);

    std::unique_ptr<DocumentFile> m_file;
    fx::Readers m_readers;
    std::string m_projectInputs;
    State m_state = State::Empty;
    std::optional<fx::Error> m_error;
    QString m_note;
    bool m_isRestored = false;
    std::optional<CodeDraft> m_draft;
    DocumentSource* m_source = nullptr;
    QByteArray m_graphText;     ///< the source text of the first version
    QJsonObject m_graphChoices; ///< its choices
    bool m_isBehind = false;    ///< the source has another trace while the model has its own edits
    DocumentPicture* m_picture;
    DocumentOperations* m_operations;
    DocumentJournal* m_journal;
    DocumentVersions* m_versions;
    DocumentShapes* m_shapes;
    VersionFacts* m_facts;
    NodeSelection* m_selection;
    PanelViews* m_panelViews;
    RandomWeights* m_randomWeights;
};

} // namespace ui
