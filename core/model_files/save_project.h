// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/project/project.h"
#include "core/model_files/save_graphmodule.h"

namespace fx {

/// Saves a project whose current model is `current`. With `verify` the file is read back and compared, weights bit for
/// bit. Throws Error{Refused}; the old file is then as it was, unless it is the comparison that fails.
SaveReport saveProject(const Project& project, const GraphModule& current, const std::string& path, bool verify,
                       const Progress& progress = {});

/// The project of a model as it was opened: what its .lancet file holds, or a new one without edits. Throws
/// Error{File}.
Project projectOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {});
/// The project of a model that something else than steps made.
Project projectApart(const GraphModule& current, const Progress& progress = {});
/// The project of a history, whose first version is a model as it was opened, or its project's original.
Project projectOf(const History& history);

/// The versions of an opened model, how it was looked at, and what it is run with.
struct ProjectHistory {
    History history;
    std::string view, inputs; ///< JSON, or empty
};
/// Those of its project, or itself alone. Throws Error{Refused} when an edit cannot be repeated.
ProjectHistory projectHistoryOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {});
/// The versions alone.
History historyOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {});

} // namespace fx
