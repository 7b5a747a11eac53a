// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Tensors that traced code would compute immediately (`torch.zeros(3, 4)`): kept as an expression, with sizes and
/// dtype from shape rules. Evaluates nothing.
namespace fx::trace {

/// "sum" for torch.sum and for torch.ops.aten.sum.dim_IntList.
std::string_view operationName(const Callable& callable);
/// The result of a factory function (torch.zeros, torch.arange...) or of any other function of constant tensors.
Value constantFromFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
/// The result of `self.name(args)` where `self` is a constant tensor: a tensor, a tuple of sizes, a number.
Value constantFromMethod(const TensorValue& self, const std::string& name, const Values& args,
                         const KeywordValues& kwargs);
/// `self.name` for properties that need no values (shape, dtype, layout...); nullopt for other names.
std::optional<Value> propertyOfConstant(const TensorValue& self, std::string_view name);
/// `self.T`, `self.mT`, `self.H`, `self.mH` if the tensor has them; nullopt for other names.
std::optional<Value> transposeOfConstant(const TensorValue& self, std::string_view name);
/// `object.name` for dtypes, torch.finfo and torch.iinfo of them, devices and numbers; nullopt for other names and
/// values.
std::optional<Value> attributeOfConstant(const Value& object, std::string_view name);
/// The result of an operator between constants of which at least one is a tensor.
Value constantFromOperator(std::string_view op, const Value& left, const Value& right);

} // namespace fx::trace
