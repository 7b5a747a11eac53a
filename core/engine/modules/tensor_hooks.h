// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/module/module.h"

namespace fx::engine {

/// Runs the forward pre-hooks of a module (weight_norm, spectral_norm and pruning of torch.nn.utils), each of which
/// computes a tensor of the module from others before a call. Returns false if it has none. A store of shapes keeps the
/// tensors, whose shapes hooks do not change. Throws Error{Run} for other hooks.
bool runTensorHooks(const Module& module, TensorStore& tensors);

} // namespace fx::engine
