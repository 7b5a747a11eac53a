// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/python/imports/place.h"

#include <optional>
#include <vector>

namespace fx::python {

class Interpreter;

/// Returns the remedy if Python needs the elements of a traced value to continue, as an `if` or a loop does: make the
/// module a leaf, wrap the function, or fix inputs. Returns nullopt for other reasons. The text is for windows. `calls`
/// is the call stack without that of `forward`, with the position of the failure at its end.
std::optional<Message> remedyOf(Interpreter& in, const Message& why, const std::vector<Place>& calls);

} // namespace fx::python
