// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/diag/progress.h"
#include "core/edit/history.h"
#include "core/model_files/journal/orphaned_journal.h"

#include <functional>
#include <optional>

namespace fx {

/// Traces Python source of the file `path` as `choices` say (JournalDraft::choices; empty: as usual), as far as that
/// goes; null: there is no module in it. Throws Error{Cancelled}.
using SourceTracer = std::function<std::shared_ptr<GraphModule>(const std::string& text, const std::string& path,
                                                                const std::string& choices, const Progress& progress)>;

/// A model with its edits restored.
struct RecoveredModel {
    static constexpr std::size_t kNoVersion = static_cast<std::size_t>(-1);
    History history;
    std::size_t savedVersion = 0;                     ///< or kNoVersion: it was undone, and other edits took its place
    std::shared_ptr<const PythonCode> draftBase = {}; ///< the code that the journal's code was made of; null: none
    bool draftFits = true;                  ///< draftBase is the code of the draft's version, not of one that has gone
    std::optional<std::string> traced = {}; ///< Python source of which the first version was traced; none: no source
    std::optional<std::string> source = {}; ///< that was typed, else that of the base, where that is known
    std::optional<Error> lost = {};         ///< why the edits of typed source are not there
    std::optional<ModelIdentity> rebased = {}; ///< the state of the file that the edits are applied to, if not the base
};

/// Opens the model of a journal, or the copy of it that was kept, and repeats its changes one by one. If its bytes are
/// gone, the edits since the last save are applied to the .json or .lancet that it wrote (`rebased`). Throws
/// Error{Refused} with the message "journal.other_state" if that is gone, too, and if an edit has a different result;
/// Error{File} if it cannot be read. Unsaved Python source is whole by itself: it needs no file. Python source is
/// traced by `tracer`, by default as usual.
RecoveredModel recover(const OrphanedJournal& journal, const Progress& progress = {}, const SourceTracer& tracer = {});

/// Opens the file as it is now and applies the edits in effect to it, as a recipe. Throws as `recover`.
RecoveredModel recoverOnFile(const OrphanedJournal& journal, const Progress& progress = {},
                             const SourceTracer& tracer = {});

/// The same for an open model; `changes`: the number of changes to repeat.
RecoveredModel replay(std::shared_ptr<const GraphModule> base, const OrphanedJournal& journal, std::size_t changes,
                      const Progress& progress = {});

} // namespace fx
