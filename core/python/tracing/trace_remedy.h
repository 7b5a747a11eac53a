// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/python/imports/place.h"

#include <optional>
#include <vector>

namespace fx::python {

class Interpreter;

/// What to do where Python needs the elements of a traced value to go on, as an `if` and a loop do: the module as a
/// leaf, the function wrapped, or inputs fixed. Its text is for windows. `calls` is the chain of calls without that of
/// `forward`, with the place of the failure at its end. Nothing for other reasons.
std::optional<Message> remedyOf(Interpreter& in, const Message& why, const std::vector<Place>& calls);

} // namespace fx::python
