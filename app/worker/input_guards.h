// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"

namespace app {

/// Checks what `ExportedProgram.module()` asks of its inputs before it runs: the sizes that the export has fixed, those
/// that are one symbol, and the ranges of symbols. `inputs` are flat, `placeholders` the inputs that the user gives, in
/// order. Throws Error{Run} that names the input and both shapes. Nothing is asked of models that are no exported
/// programs.
void checkExportedInputs(const fx::GraphModule& model, const std::vector<fx::NodeId>& placeholders,
                         const fx::engine::RunInputs& inputs);

} // namespace app
