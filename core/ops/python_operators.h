// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::ops {

/// How Python writes the functions of the module `operator`, as torch.fx lists them, with `{}` for each operand.

/// torch.fx `magic_methods`: "{} + {}" of `add`; empty for names that are not in it.
std::string_view operatorFormat(std::string_view name);
/// torch.fx `inplace_methods`: "{} += {}" of `iadd`; empty for names that are not in it.
std::string_view inPlaceOperatorFormat(std::string_view name);

/// The other way round: "add" for the sign "+" between two operands; empty for other signs.
std::string_view binaryOperator(std::string_view sign);
/// "neg" for the sign "-" before one operand; empty for other signs.
std::string_view unaryOperator(std::string_view sign);

} // namespace fx::ops
