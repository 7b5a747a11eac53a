// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/diag/progress.h"
#include "core/module/module.h"
#include "core/tensor/tensor_ref.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fx {

using NamedTensors = std::vector<std::pair<std::string, TensorPtr>>;

/// A file of weights as the user names it: "best.pth", or "best.pth#ema.module" for one of its state dicts.
struct WeightsFile {
    std::string path, key; ///< an empty key leaves the choice open
};
/// Splits such a name, unless there is a file of the whole name.
WeightsFile splitWeightsFile(const std::string& name);

/// Returns what `state_dict` of a module gives: modules under all of their paths. Throws Error{Refused} for too many.
NamedTensors stateDictOf(const Module& root);

/// A state dict in a file: a dict of tensors, or a module that was pickled whole.
struct StateDict {
    std::string key;       ///< the keys and attributes that lead to it, "ema.module"; empty for the file's own object
    std::string className; ///< the class of a module; empty for a dict
    NamedTensors tensors;  ///< of a module: its parameters and persistent buffers under all of their paths
    /// The versions of modules by path (`_metadata`), by which their `_load_from_state_dict` knows old state dicts.
    std::unordered_map<std::string, std::int64_t> versions;
};

/// Finds the state dicts of a file of `torch.save` or a .safetensors file by structure: in dicts, lists and objects of
/// any class, however they are called, but not in optimizers. A dict of tensors that also holds
/// state dicts is not one (a checkpoint with a random state). The elements stay in the file.
///
/// Empty for the file of a GraphModule or a script. Throws Error{File} for other files, and for
/// files with more than 1,000 state dicts.
std::vector<StateDict> readStateDicts(const std::string& path, const Progress& progress = {});

/// Words the error about a file that has no model for a file of weights, which has no state dict either. Returns other
/// errors as they are.
Error notWeights(Error error);

} // namespace fx
