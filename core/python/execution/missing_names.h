// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/python_interpreter.h"

namespace fx::python {

/// Raises an AttributeError or ImportError (`type`) for a `name` that `module` lacks. Sets both as attributes of the
/// exception, like Python, which also uses them to find near names.
[[noreturn]] void raiseMissing(Interpreter& in, std::string_view type, const Value& module, std::string_view name,
                               const std::string& message);

/// Converts an exception to a message. If PyTorch lacks the name, the hint is the nearest name that it has.
Message messageOf(Interpreter& in, const Raised& raised);

/// Returns true for an exception of Lancet's own text for a library, which may lack what Python has there. Exceptions
/// that a `raise` of such a text raises are those of Python. `places` are the calls at the exception, outermost first.
bool isOfLibrary(const Message& why, const std::vector<Place>& places);

} // namespace fx::python
