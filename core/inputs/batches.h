// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/values/value_tree.h"
#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace fx {

/// The arguments of one call of a model; or a single dict whose items are inputs by name.
using Batch = std::vector<ValueTree>;

/// Converts a batch to the inputs of one run: the tuple of its arguments, or the dict by name.
ValueTree argumentsOf(const Batch& batch, const Graph& graph);

/// Reads the batches of a calibration; tensors stay in the file.
///
///     .pt           a list of batches, each a tensor, a tuple or list of arguments, or a dict by name;
///                   a tensor, tuple or dict alone is one batch
///     .npy          one batch of one argument
///     .npz          arrays numbered from 0 (`arr_0`, `0`): one batch each; `0.x`, `0.y`, `1.x`: batches by input name;
///     .safetensors  other names: one batch by name
///
/// Throws Error{File}, and Error{Usage} for a file without batches.
std::vector<Batch> readBatches(const std::string& path, const Progress& progress = {});

} // namespace fx
