// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// What a model can be saved as; the ending of the path decides.
enum class SavedAs : std::uint8_t { GraphModule, Folder, Pt2, Description, Source, Project };
/// `.pt` and whatever is not known: GraphModule.
SavedAs savedAs(std::string_view path);

/// One thing that will be different in a saved file from what is there now.
struct Foreseen {
    enum class Kind : std::uint8_t {
        Refused,    ///< it cannot be written so
        Unloadable, ///< PyTorch fails to load the file
        Changed,    ///< PyTorch's graph is another one
        Renamed,    ///< PyTorch names nodes anew
        Lost,       ///< the format does not keep it
    };
    Kind kind;
    Message what;                   ///< its hint says what to do, and may be empty
    std::vector<std::string> nodes; ///< graph names of those concerned
};

/// What PyTorch will make of a model, and what is lost, when it is saved: known before anything is written. PyTorch
/// traces the code of a saved GraphModule again when it loads it, so this traces it too; linear, cancellable. Empty
/// when all stays as it is.
std::vector<Foreseen> foresee(const GraphModule& model, SavedAs format, const Progress& progress = {});

/// As a warning: one line.
Warning warningOf(const Foreseen& foreseen);

} // namespace fx
