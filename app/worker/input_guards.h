// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"

namespace app {

/// Checks the conditions of `ExportedProgram.module()` on its inputs before it runs: sizes fixed by the export, sizes
/// that share a symbol, and the ranges of symbols. `inputs` are flat; `placeholders` are the user's inputs, in order.
/// Throws Error{Run} that names the input and both shapes. Accepts everything for other models.
void checkExportedInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                         const fx::engine::RunInputs& inputs);

} // namespace app
