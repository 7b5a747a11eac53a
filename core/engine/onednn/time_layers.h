// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/interpreter.h"
#include "core/onednn/layer_times.h"

namespace fx::engine {

/// Runs a model once and measures each fused layer in it (core/onednn) on the values that reach it: the nodes as they
/// are, on contiguous values, and the kernels that there are, in rounds (`timing::measure`). Layers that are alike in
/// kind and sizes are measured once; good times are remembered in `folder` (nowhere if empty) per processor, number of
/// threads and LibTorch, and measured again when a few runs show that they do not hold. Throws Error{Run, Cancelled}.
std::vector<onednn::LayerTimes> timeLayers(const std::shared_ptr<const GraphModule>& model,
                                           const std::shared_ptr<TensorStore>& tensors, const RunInputs& inputs,
                                           const std::string& folder, const Progress& progress = {});

} // namespace fx::engine
