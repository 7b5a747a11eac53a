// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// The format to save a model in, selected by the extension.
enum class SavedAs : std::uint8_t { GraphModule, Folder, Pt2, Description, Source, Project, TorchScript };
/// GraphModule for `.pt` and unknown extensions.
SavedAs savedAs(std::string_view path);
/// The format of a file that was saved so, when it is opened.
Format formatOf(SavedAs format);

/// A difference that saving the model will cause.
struct Foreseen {
    enum class Kind : std::uint8_t {
        Refused,    ///< it cannot be written
        Unloadable, ///< PyTorch fails to load the file
        Changed,    ///< PyTorch's graph differs
        Renamed,    ///< PyTorch renames nodes
        Lost,       ///< the format does not keep it
        Running,    ///< PyTorch does not run it as Lancet does
    };
    Kind kind;
    Message what;                   ///< its hint says what to do, and may be empty
    std::vector<std::string> nodes; ///< names of the affected nodes
};

/// Predicts, before anything is written, how a saved model will differ in PyTorch and what is lost. PyTorch traces the
/// code of a saved GraphModule again when loading it, so this traces it, too; linear, cancellable. Empty if nothing
/// changes.
std::vector<Foreseen> foresee(const GraphModule& model, SavedAs format, const Progress& progress = {});

/// As a warning: one line.
Warning warningOf(const Foreseen& foreseen);

} // namespace fx
