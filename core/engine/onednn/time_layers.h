// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/interpreter.h"
#include "core/onednn/layer_times.h"

namespace fx::engine {

/// Runs a model once and times each fused layer (core/onednn) on the values that reach it: the unfused nodes on
/// contiguous values, and the available kernels, in rounds (`timing::measure`). Layers of the same kind and sizes are
/// measured once. Times in `memory` are measured again if a few runs show that they are outdated. `kept` receives the
/// text to keep, if it changed. Throws Error{Run, Cancelled}.
std::vector<onednn::LayerTimes> timeLayers(const std::shared_ptr<const GraphModule>& model,
                                           const std::shared_ptr<TensorStore>& tensors, const RunInputs& inputs,
                                           const std::string& memory, std::optional<std::string>& kept,
                                           const Progress& progress = {});

} // namespace fx::engine
