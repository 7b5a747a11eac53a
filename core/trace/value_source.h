// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"

#include <string_view>

namespace fx {

/// The value of Python text: `torch.float32`, `inf`, `(1+2j)`, `device('cpu')`, `slice(0, 2)`, `[1, 2]`.
/// Throws Error{Refused} for text that is not a plain value.
Argument valueFromSource(std::string_view source);

} // namespace fx
