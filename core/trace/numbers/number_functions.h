// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

namespace fx::trace {

/// Results of functions of `math` and `builtins` for plain values: `path` as in the table of functions ("math.sqrt",
/// "builtins.max"). nullopt for other functions and unsupported arguments; PythonError where Python raises.
std::optional<Value> callNumberFunction(std::string_view path, const Values& args);

/// The items that Python iterates over, for a tuple, list, dict, range or string; nullopt for other values and very
/// long ranges.
std::optional<Values> itemsOf(const Value& value);

} // namespace fx::trace
