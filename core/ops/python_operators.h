// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::ops {

/// Maps functions of the module `operator` to Python's operators, as torch.fx prints them. `{}` stands for an operand.

/// torch.fx `magic_methods`: "{} + {}" for `add`; empty for other names.
std::string_view operatorFormat(std::string_view name);
/// torch.fx `inplace_methods`: "{} += {}" for `iadd`; empty for other names.
std::string_view inPlaceOperatorFormat(std::string_view name);

/// Returns the sign of a binary operator: "+" for "add"; empty for other names.
std::string_view operatorSign(std::string_view name);
/// Returns the function of a binary operator: "add" for "+"; empty for other signs.
std::string_view binaryOperator(std::string_view sign);
/// Returns the function of a unary operator: "neg" for "-"; empty for other signs.
std::string_view unaryOperator(std::string_view sign);
/// Returns the method of torch.Tensor that an augmented assignment calls: "add_" for "add"; empty for other names.
std::string_view inPlaceMethod(std::string_view name);
/// Returns the operator that an augmented assignment applies: "add" for `iadd`, which code has as `x += y`, "and_" for
/// `iand`. Empty for other names, and for `imatmul`, which gives a new tensor in any case.
std::string_view augmentedOperator(std::string_view name);
/// Returns the function of a special method of torch.fx's proxies: "and_" for "__and__"; empty for other methods.
std::string_view methodOperator(std::string_view method);

} // namespace fx::ops
