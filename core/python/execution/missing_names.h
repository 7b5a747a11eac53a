// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/interpreter.h"

namespace fx::python {

/// Raises an AttributeError or ImportError for a `name` that `module` does not have. The exception has both as
/// attributes, as Python's own has, which looks for near names, too.
[[noreturn]] void raiseMissing(Interpreter& in, std::string_view type, const Value& module, std::string_view name,
                               const std::string& message);

/// What was raised, in words. Of a name that PyTorch does not have, the hint is the nearest one that it has.
Message messageOf(Interpreter& in, const Raised& raised);

} // namespace fx::python
