// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// The format in which a model is saved; the extension of the path selects it.
enum class SavedAs : std::uint8_t { GraphModule, Folder, Pt2, Description, Source, Project, TorchScript };
/// Returns the format for the extension of `path`; GraphModule for `.pt` and unknown extensions.
SavedAs savedAs(std::string_view path);
/// Returns the format of such a file after opening it.
Format formatOf(SavedAs format);

/// A difference that saving causes.
struct Foreseen {
    /// The effect of saving.
    enum class Kind : std::uint8_t {
        Refused,    ///< the format cannot hold the model
        Unloadable, ///< PyTorch cannot load the file
        Changed,    ///< PyTorch's graph differs from this one
        Renamed,    ///< PyTorch renames nodes
        Lost,       ///< the format does not store it
        Running,    ///< PyTorch does not run the model as Lancet does
    };
    Kind kind;
    Message what;                   ///< the description; its hint, which may be empty, says what to do
    std::vector<std::string> nodes; ///< names of the affected nodes
};

/// Predicts, without writing anything, how a saved model will differ in PyTorch and what will be lost. Retraces the
/// code of a GraphModule, as PyTorch does when loading it. Linear and cancellable. Returns an empty list if nothing
/// changes.
std::vector<Foreseen> foresee(const GraphModule& model, SavedAs format, const Progress& progress = {});

/// Converts a prediction to a warning of one line.
Warning warningOf(const Foreseen& foreseen);

} // namespace fx
