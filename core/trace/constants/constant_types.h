// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/promotion.h"
#include "core/trace/constants/tensor_call.h"

/// The dtypes of what operations on constant tensors give.
namespace fx::trace {

/// torch.result_type of the operands; other values are ignored.
DType resultType(const Values& operands);
/// `tensor.double()` and the like; nullopt for other methods.
std::optional<DType> conversionMethod(std::string_view name);
/// What `to` and `type` convert to: a type among the arguments.
DType convertedBy(const TensorCall& call);
/// Of an operation that works element by element.
DType pointwiseType(std::string_view name, const Values& args);

/// What functions of real numbers make of integers, and sums of integers.
inline DType floating(DType dtype) { return dtypeKind(dtype) < DTypeKind::Float ? DType::Float32 : dtype; }
inline DType summed(DType dtype) { return dtypeKind(dtype) < DTypeKind::Float ? DType::Int64 : dtype; }

} // namespace fx::trace
