// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"

namespace app {

/// Converts inputs of `ExportedProgram.module()(...)` to the flat list that an exported program (.pt2) takes: splits
/// containers among the positional inputs into their leaves. Leaves other models unchanged.
void flattenInputs(const fx::GraphModule& model, fx::engine::RunInputs& inputs);
/// Converts the flat list that an exported program returns to the output of its module: writes changed buffers back to
/// `tensors`, and assembles the rest according to the file's output specification. Leaves other models unchanged.
fx::engine::Value moduleOutput(const fx::GraphModule& model, const fx::engine::Value& output,
                               fx::engine::TensorStore& tensors);

} // namespace app
