// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <torch/csrc/jit/api/module.h>

namespace app {

/// Adds the attributes of a model's module that are not tensors to a module of a script, as far as TorchScript has
/// types for them (`fx::script::attributeType`).
void addLiterals(torch::jit::Module& out, const fx::Module& module);

} // namespace app
