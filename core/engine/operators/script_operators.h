// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <optional>
#include <string_view>

namespace fx::engine {

/// The result of an operator that only TorchScript's interpreter has, such as `torch.ops.aten.size.default` and
/// `torch.ops.prim.dtype.default`; Python's torch.ops finds these, too. nullopt for other names. Those that need an
/// interpreter around them, such as prim::Loop, are not among them.
std::optional<Value> callScriptOperator(std::string_view name, const Arguments& arguments);

} // namespace fx::engine
