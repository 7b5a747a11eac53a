// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/promotion.h"
#include "core/trace/constants/tensor_call.h"

/// The dtypes of the results of operations on constant tensors.
namespace fx::trace {

/// Returns torch.result_type of the operands; values that are neither tensors nor numbers are ignored.
DType resultType(const Values& operands);
/// Returns the dtype of a conversion method such as `tensor.double()`; nullopt for other methods.
std::optional<DType> conversionMethod(std::string_view name);
/// Returns the dtype that `to` or `type` convert to, taken from the arguments.
DType convertedBy(const TensorCall& call);
/// Returns the result dtype of a pointwise operation.
DType pointwiseType(std::string_view name, const Values& args, const KeywordValues& kwargs);
/// Returns the dtype of an operation of which no other rule is known, with operands of `type`.
DType unlistedType(std::string_view name, DType type);
/// Returns the dtype of complex numbers with such parts.
DType complexDtype(DType dtype);
/// Returns the dtype of the parts of complex numbers; other dtypes unchanged.
DType realDtype(DType dtype);

/// Returns the result dtype of functions of real numbers: Float32 for integers.
inline DType floating(DType dtype) { return dtypeKind(dtype) < DTypeKind::Float ? DType::Float32 : dtype; }
/// Returns the result dtype of sums: Int64 for integers.
inline DType summed(DType dtype) { return dtypeKind(dtype) < DTypeKind::Float ? DType::Int64 : dtype; }

} // namespace fx::trace
