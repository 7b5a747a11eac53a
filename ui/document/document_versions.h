// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/edit/history.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace ui {

class DocumentJournal;
class DocumentOperations;

/// The versions of a model, and the edits that create them. Every change is in the journal before it is announced. GUI
/// thread only.
class DocumentVersions final : public QObject {
    Q_OBJECT
public:
    /// `operations` runs the edits of `editInBackground`, and `journal` records all edits.
    DocumentVersions(DocumentOperations& operations, DocumentJournal& journal, fx::Readers readers,
                     QObject* parent = nullptr);
    ~DocumentVersions() override;

    /// Begins with another model. `saved` is the version that is in its file; the number of versions: none.
    void begin(fx::History history, std::size_t saved = 0);
    void setReaders(fx::Readers readers) { m_readers = std::move(readers); } ///< Sets how edits read files.

    /// The versions; null until there is a model.
    const fx::History* history() const { return m_history ? &*m_history : nullptr; }
    /// The current version; null until there is a model.
    const std::shared_ptr<const fx::GraphModule>& current() const { return m_current; }
    /// True if the current version is the one in the file.
    bool isSaved() const { return m_current == m_saved; }
    /// Records that `version` is in the file.
    void setSaved(std::shared_ptr<const fx::GraphModule> version) { m_saved = std::move(version); }

    /// Refuses every edit from now on with `why`.
    void refuseEdits(fx::Error why) { m_refusal = std::move(why); }
    /// The reason why all edits are refused; nullopt if they are allowed.
    const std::optional<fx::Error>& refusal() const { return m_refusal; }
    /// Applies steps as one change that can be undone. Returns false and changes nothing if they are refused (emits
    /// `refused`), or if the result equals the current version (emits `unchanged`).
    bool edit(const QString& name, const fx::StepList& steps);
    /// Like `edit`, with the known `result` of the steps on the current version.
    bool adoptEdit(const QString& name, const fx::StepList& steps, std::shared_ptr<const fx::GraphModule> result);
    /// Like `edit`, but off the GUI thread as an operation, for changes of the whole graph or with large new weights.
    /// Refused while another such edit runs, and if the model changes meanwhile. Calls `onDone` only after the edit was
    /// applied.
    void editInBackground(const QString& name, const fx::StepList& steps, std::function<void()> onDone = {});
    void undo(); ///< Goes to the previous version, if there is one.
    void redo(); ///< Goes to the next version, if there is one.
    /// Makes an entry of the history the current version.
    void goTo(std::size_t entry);

Q_SIGNALS:
    /// Emitted when an edit was refused; nothing has changed.
    void refused(const fx::Error& error);
    /// Emitted when an edit had no effect and was not added to the history.
    void unchanged(const QString& name);
    /// Emitted when an edit has been added to the history. Emitted before `changed`, so that messages about the
    /// consequences come later.
    void edited(const QString& name);
    /// Emitted when an edit, undo or redo made another version current.
    void changed();

private:
    void add(const QString& name, const fx::StepList& steps, std::shared_ptr<const fx::GraphModule> result);

    DocumentOperations& m_operations;
    DocumentJournal& m_journal;
    fx::Readers m_readers;
    std::optional<fx::History> m_history;
    std::shared_ptr<const fx::GraphModule> m_current, m_saved;
    std::optional<fx::Error> m_refusal;
};

} // namespace ui
