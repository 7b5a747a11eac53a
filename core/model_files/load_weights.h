// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <string>

namespace fx {

/// `load_state_dict(torch.load(file))`, strictly: parameters and persistent buffers get the tensors of the file, which
/// stay in it; what was one tensor stays one. Reads what `readNamedTensors` reads.
/// Observers take over the sizes of what they have seen, as torch.ao's do.
///
/// Throws Error{File}, and Error{Refused} with the keys that are missing, unexpected, or of another shape or dtype.
void loadWeights(GraphModule& model, const std::string& file, const Progress& progress = {});

/// Whether the file has the state of observers: of a model that was prepared for training, not of one in floating
/// point.
bool hasObservers(const std::string& file, const Progress& progress = {});

} // namespace fx
