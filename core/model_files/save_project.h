// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/project/project.h"
#include "core/model_files/save_graphmodule.h"

namespace fx {

/// Saves a project whose current model is `current`. With `verify`, the file is read back and compared, weights bit for
/// bit. Throws Error{Refused}; the old file is then unchanged, unless the comparison fails.
SaveReport saveProject(const Project& project, const GraphModule& current, const std::string& path, bool verify,
                       const Progress& progress = {});

/// The project of a model as it was opened: that of its .lancet file, or a new one without edits. `keepsContent`: as in
/// OpenOptions. Throws Error{File}.
Project projectOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {},
                  bool keepsContent = false);
/// The project of a model that was not made by steps.
Project projectApart(const GraphModule& current, const Progress& progress = {});
/// The project of a history whose first version is a model as it was opened, or its project's original.
Project projectOf(const History& history);

/// The versions of an opened model with its view and inputs.
struct ProjectHistory {
    History history;
    std::string view, inputs; ///< JSON, or empty
};
/// The versions in its project, or the model alone. Throws Error{Refused} if an edit cannot be repeated.
ProjectHistory projectHistoryOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {},
                                bool keepsContent = false);
/// Only the versions.
History historyOf(const std::shared_ptr<const GraphModule>& opened, const Progress& progress = {},
                  bool keepsContent = false);

} // namespace fx
