// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/diag/progress.h"
#include "core/edit/history.h"
#include "core/journal/orphaned_journal.h"

#include <functional>
#include <optional>

namespace fx {

/// Traces Python source of the file `path` as far as possible. `choices` is `JournalDraft::choices`; empty for the
/// defaults. Returns null if the text contains no module. Throws Error{Cancelled}.
using SourceTracer = std::function<std::shared_ptr<GraphModule>(const std::string& text, const std::string& path,
                                                                const std::string& choices, const Progress& progress)>;

/// How `recover` reads models and edits.
struct RecoveryOptions {
    SourceTracer tracer = {}; ///< traces Python source; empty: with the defaults
    Readers readers = {};     ///< as in `OpenOptions`
};

/// A model with its edits restored.
struct RecoveredModel {
    /// Marks a saved version that was undone and overwritten by later edits.
    static constexpr std::size_t kNoVersion = static_cast<std::size_t>(-1);
    History history;
    std::size_t savedVersion = 0;                     ///< or `kNoVersion`
    std::shared_ptr<const PythonCode> draftBase = {}; ///< code on which the draft's code is based; null if unknown
    bool draftFits = true; ///< false if the draft's version is lost and `draftBase` belongs to a different version
    std::optional<std::string> traced = {};    ///< Python source from which the first version was traced
    std::optional<std::string> source = {};    ///< the unsaved source, else that of the base if known
    std::optional<Error> lost = {};            ///< why the edits of unsaved source could not be restored
    std::optional<ModelIdentity> rebased = {}; ///< state of the file to which the edits were applied, if not the base
};

/// Opens the model of a journal, or the kept copy of it, and replays its changes one by one. If that content is gone,
/// applies the edits since the last save to the .json or .lancet that the save wrote (`rebased`). Throws Error{Refused}
/// with the message "journal.other_state" if that file is gone, too, or if an edit has a different result, and
/// Error{File} if a file is unreadable. Unsaved Python source needs no file.
RecoveredModel recover(const OrphanedJournal& journal, const Progress& progress = {},
                       const RecoveryOptions& options = {});

/// Opens the current file and applies the edits in effect to it, like a recipe. Throws like `recover`.
RecoveredModel recoverOnFile(const OrphanedJournal& journal, const Progress& progress = {},
                             const RecoveryOptions& options = {});

/// Replays the first `changes` changes on an open model.
RecoveredModel replay(std::shared_ptr<const GraphModule> base, const OrphanedJournal& journal, std::size_t changes,
                      const Progress& progress = {});

} // namespace fx
