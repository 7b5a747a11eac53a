// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx {

/// Attribute of a module in a model for the worker: why it cannot be run, although its source is known, and what to do;
/// a tuple of both. In models of users no module has it.
inline constexpr std::string_view kRefusal = "_lancet_refusal";

/// Attribute of a module in a model for the worker: the user's Python runs its calls. A tuple of texts: the source, the
/// path in its model, the kind ("module", "function", "operator"), and the Python module and name of a function.
inline constexpr std::string_view kOwnPython = "_lancet_python";

} // namespace fx
