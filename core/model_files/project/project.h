// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/history.h"
#include "core/io/zip/zip_archive.h"
#include "core/json/json_document.h"
#include "core/model_files/open.h"

namespace fx {

/// The content of a .lancet file: a model as it was opened, its edits, and its view.
///
///     lancet.json      {"lancet": 1, "original", "edits", "version", "graph", "current"?}
///     original.pt|pt2  the complete file of the model if it was one of torch.save or torch.export.save; else
///     original.json    its description (docs/ir-format.md), with the tensors' bytes in data/N; so are the extra files
///                      of TorchScript
///     edits/N.json     the steps of each edit, as in a recipe; files that they read are members too
///     files/N.pt       a file that steps read: pasted nodes, tensors
///     current.json     the current model, unless the edits lead from the original to it; it shares its tensors with
///                      the original
///     view.json        the view of the window
///     inputs.json      the inputs of the model (core/inputs), if specified
///
/// Members are stored, not compressed: weights stay in the file and are read on demand. `graph` is the SHA-256 of the
/// printed graph, so that a version of Lancet whose edits behave differently detects this.
struct Project {
    /// One edit, as in `History`.
    struct Edit {
        std::string name;
        StepList steps;
        std::chrono::system_clock::time_point time;
    };

    std::shared_ptr<const GraphModule> original; ///< null if the current model is the original
    std::vector<Edit> edits;                     ///< undone edits come after `version`
    std::size_t version = 0;                     ///< number of edits applied to the current model
    bool isApart = false;     ///< the current model is stored separately because the edits do not produce it
    std::string view, inputs; ///< JSON, or empty

    /// Adds an edit of the current model. Drops undone edits.
    void add(Edit edit);
};

/// Writes a project whose current model is `current`. Throws Error{Refused}.
void writeProject(const Project& project, const GraphModule& current, const std::string& path,
                  const Progress& progress = {});

/// A project with its current model.
struct OpenedProject {
    Project project;
    std::shared_ptr<GraphModule> current;
};
/// Opens an archive inside the project, as `openModel` would.
using OpenArchive = std::function<std::shared_ptr<GraphModule>(const ZipArchive&, const OpenOptions&, const Progress&)>;
/// Reads a project and repeats its edits; `readers` follow Python in them. Throws Error{File}.
OpenedProject readProject(const ZipArchive& archive, const OpenArchive& openOriginal, const Progress& progress = {},
                          const Readers& readers = {});
/// As `readProject`, but repeats nothing: `current` is null if it is what edits make of the original.
OpenedProject readStoredProject(const ZipArchive& archive, const OpenArchive& openOriginal,
                                const Progress& progress = {});

} // namespace fx
