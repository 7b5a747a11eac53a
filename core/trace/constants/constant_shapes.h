// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/constant_sizes.h"

/// Infers shapes and dtypes of the results of operations on constant tensors; computes no values.
namespace fx::trace {

/// The type of a result tensor; without sizes if they depend on values or no rule applies.
struct ConstantType {
    std::optional<Sizes> sizes; ///< nullopt if unknown
    DType dtype = DType::Float32;
};
/// The result of an operation: one tensor or a tuple of tensors.
struct ConstantResult {
    std::vector<ConstantType> tensors; ///< one per result
    bool isTuple = false;              ///< a tuple, even of one tensor
};

/// Infers the result of `torch.name(args)`, which is also that of `args[0].name(...)`. An unknown operation gives one
/// tensor of the operands' dtype and of unknown sizes. Throws CannotFollow for more than 10,000 tensors.
ConstantResult constantResult(std::string_view name, const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace
