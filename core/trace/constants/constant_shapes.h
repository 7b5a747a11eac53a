// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/constant_sizes.h"

/// Infers sizes and types of what operations on constant tensors give; computes no values.
namespace fx::trace {

/// The result tensor of an operation; without sizes if they depend on values or exceed the rules.
struct ConstantType {
    std::optional<Sizes> sizes;
    DType dtype = DType::Float32;
};
/// What an operation gives: one tensor, or a tuple of them.
struct ConstantResult {
    std::vector<ConstantType> tensors;
    bool isTuple = false;
};

/// What `torch.name(args)` gives, which is also what `args[0].name(...)` gives. Always an answer: an unknown operation
/// gives one tensor of the operands' type and of unknown sizes. Throws CannotFollow for more than 10,000 tensors.
ConstantResult constantResult(std::string_view name, const Values& args, const KeywordValues& kwargs);

} // namespace fx::trace
