// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/constant_sizes.h"

namespace fx::trace {

/// The tensor that torch.tensor makes of Python values (torch/csrc/utils/tensor_new.cpp).
struct LiteralTensor {
    DType dtype = DType::Float32;
    Sizes sizes;
};
/// Returns dtype and sizes of `torch.tensor(data)`, or with the given dtype. Throws PythonError for what PyTorch
/// rejects, such as ragged lists, and CannotFollow for elements whose dtype is not known.
LiteralTensor literalTensor(const Value& data, std::optional<DType> dtype = std::nullopt);

/// Prepares a call of torch.tensor, torch.as_tensor or torch.asarray with data that is not a tensor: checks it, makes
/// ranges lists, and names the dtype where it depends on tensors among the elements.
void prepareLiteral(Values& args, KeywordValues& kwargs);

} // namespace fx::trace
