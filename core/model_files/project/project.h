// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/history.h"
#include "core/io/zip/zip_archive.h"
#include "core/json/json_document.h"
#include "core/model_files/open.h"

namespace fx {

/// What a .lancet file holds: a model as it was opened, what was done to it, and how it was looked at.
///
///     lancet.json      {"lancet": 1, "original", "edits", "version", "graph", "current"?}
///     original.pt|pt2  the file of the model, whole, where it was one of torch.save or torch.export.save; else
///     original.json    its description (docs/ir-format.md), with the tensors' bytes in data/N
///     edits/N.json     the steps of each edit, as in a recipe; files that they read are members too
///     files/N.pt       a file that steps read: pasted nodes, tensors
///     current.json     the current model, when no edits lead from the original to it; tensors that it has in common
///     with
///                      the original are not written twice
///     view.json        what the window showed
///     inputs.json      what the model is run with (core/inputs), when somebody has said it
///
/// Members are stored, not compressed: weights stay in the file and are read when somebody asks for them. `graph` is
/// the SHA-256 of the printed graph, so that a Lancet whose edits do something else notices.
struct Project {
    struct Edit {
        std::string name, steps; ///< `steps`: a JSON array
        std::chrono::system_clock::time_point time;
    };

    std::shared_ptr<const GraphModule> original; ///< null: what the current model's own origin holds
    std::vector<Edit> edits;                     ///< those that were undone stand behind `version`
    std::size_t version = 0;                     ///< how many of them the current model has
    bool isApart = false;                        ///< the current model is not what the edits make, and stored by itself
    std::string view, inputs;                    ///< JSON, or empty

    /// Takes an edit that leads from the current model to the next one; those that were undone go.
    void add(Edit edit);
    void add(const std::string& name, const std::vector<JsonValue>& steps);
};

/// Writes a project whose current model is `current`. Throws Error{Refused}.
void writeProject(const Project& project, const GraphModule& current, const std::string& path,
                  const Progress& progress = {});

/// A project and the model that it is about.
struct OpenedProject {
    Project project;
    std::shared_ptr<GraphModule> current;
};
/// Opens an archive inside the project, as `openModel` would.
using OpenArchive = std::function<std::shared_ptr<GraphModule>(const ZipArchive&, const OpenOptions&, const Progress&)>;
/// Throws Error{File}.
OpenedProject readProject(const ZipArchive& archive, const OpenArchive& openOriginal, const Progress& progress = {});

} // namespace fx
