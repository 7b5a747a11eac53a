// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/project/project.h"
#include "core/model_files/save_graphmodule.h"

namespace fx {

/// Saves a project whose current model is `current`. `verify` reads the file back and compares it, weights bit for bit.
/// Throws Error{Refused}; the old file is then unchanged, unless the comparison fails.
SaveReport saveProject(const Project& project, const GraphModule& current, const std::string& path, bool verify,
                       const Progress& progress = {});

/// Returns the project of a model as it was opened: that of its .lancet file, or a new one without edits.
/// `keepsContent` is as in `OpenOptions`. Throws Error{File}.
Project projectOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {},
                  bool keepsContent = false);
/// Returns a project that stores the current model separately, for models that no edits produce.
Project projectApart(const GraphModule& current, const Progress& progress = {});
/// Returns the project of a history. Its first version is a model as it was opened, or its project's original.
Project projectOf(const History& history);

/// The versions of an opened model, with its view and inputs.
struct ProjectHistory {
    History history;
    std::string view, inputs; ///< JSON, or empty
};
/// Returns the versions in the project, or the model alone. `readers` follow Python in the edits. Throws Error{Refused}
/// if an edit cannot be repeated.
ProjectHistory projectHistoryOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {},
                                bool keepsContent = false, const Readers& readers = {});
/// Returns only the versions of `projectHistoryOf`.
History historyOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {},
                  bool keepsContent = false, const Readers& readers = {});

} // namespace fx
