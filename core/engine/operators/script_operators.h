// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

#include <optional>
#include <string_view>

namespace fx::engine {

/// Returns the result of an operator that only TorchScript's interpreter has, such as `torch.ops.aten.size.default`
/// and `torch.ops.prim.dtype.default`; Python's torch.ops also finds these. Returns nullopt for other names and for
/// operators that need the interpreter, such as prim::Loop.
std::optional<Value> callScriptOperator(std::string_view name, const Arguments& arguments);

} // namespace fx::engine
