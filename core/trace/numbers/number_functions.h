// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

namespace fx::trace {

/// Computes functions of `math` and `builtins` on plain values. `path` is as in the table of functions ("math.sqrt",
/// "builtins.max"). Returns nullopt for other functions and unsupported arguments; throws PythonError where Python
/// raises.
std::optional<Value> callNumberFunction(std::string_view path, const Values& args);

/// Returns the items that Python iterates over, for a tuple, list, dict, range or string; nullopt for other values and
/// very long ranges.
std::optional<Values> itemsOf(const Value& value);

} // namespace fx::trace
