// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"

namespace app {

/// Exported programs (.pt2) take and return flat lists; these go to and from what the module takes and returns,
/// `ExportedProgram.module()(...)`. For other models the values stay as they are.

/// Containers among the positional inputs are taken apart.
void flattenInputs(const fx::GraphModule& model, fx::engine::RunInputs& inputs);
/// Changed buffers are written back to `tensors`; the rest is put together as the file's output specification says.
fx::engine::Value moduleOutput(const fx::GraphModule& model, const fx::engine::Value& output,
                               fx::engine::TensorStore& tensors);

} // namespace app
