// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/tensors/state_dicts.h"
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// How many names of a shared tensor a state dict must contain. A GraphModule loaded from a file has one name for each
/// module, hence `AnyOne`.
enum class SharedNames : std::uint8_t { All, AnyOne };

/// How state dicts are loaded.
struct LoadSettings {
    bool strict = true; ///< as in `load_state_dict`
    SharedNames shared = SharedNames::All;
    /// Copies values into the tensors of the model, which others hold, like `copy_`. False: the model gets other
    /// tensors, and its modules may be shared with other versions.
    bool inPlace = false;
};

/// A file of weights and the state dicts in it; at least one.
struct FoundDicts {
    WeightsFile file;
    std::vector<StateDict> found;
};

/// `load_state_dict(file, strict)` of several files, of which a later one replaces tensors of an earlier one:
/// parameters and persistent buffers refer to the tensors in the files, and shared tensors stay shared. If a file has
/// several state dicts, takes the one that fits the model best. Values of another dtype are converted to the model's
/// dtype; the model's device stays. Observers adopt the sizes of the loaded state, like torch.ao's. Strips a prefix
/// that a wrapper added to the names, as in "module.fc.weight". Returns warnings: of a prefix and of a choice, and, if
/// not strict, with what is missing and what is left over.
///
/// Throws Error{Refused} with the keys that are missing, unexpected, or of a different shape, if several state dicts
/// fit equally, for a model without parameters and buffers, and for one that calls a script as a whole, which keeps its
/// weights.
Warnings loadStateDicts(GraphModule& model, const std::vector<FoundDicts>& files, const LoadSettings& settings,
                        const Progress& progress = {});

} // namespace fx
