// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/writing/script_compositions.h"

#include <optional>

namespace fx::script {

/// Returns a call of a function of torch.nn.functional (given without the module) whose kernel or sizes depend on its
/// input: resampling, pooling to sizes, unpooling, softmax. The script chooses when it runs. Returns an empty text for
/// arguments that a script cannot express, and nullopt for other functions.
std::optional<std::string> rankedTerm(std::string_view name, const Names& names);

} // namespace fx::script
