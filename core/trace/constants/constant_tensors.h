// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

/// Tensors that traced code would compute immediately (`torch.zeros(3, 4)`). They are kept as expressions, with shapes
/// and dtypes from rules. Nothing is evaluated.
namespace fx::trace {

/// Returns the name of an operation: "sum" for both torch.sum and torch.ops.aten.sum.dim_IntList.
std::string_view operationName(const Callable& callable);
/// Returns the result of a factory function (torch.zeros, torch.arange, ...) or of any other function of constant
/// tensors.
Value constantFromFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs);
/// Returns the result of `self.name(args)` for a constant tensor `self`: a tensor, a tuple of sizes, or a number.
Value constantFromMethod(const TensorValue& self, const std::string& name, const Values& args,
                         const KeywordValues& kwargs);
/// Returns `self.name` for properties that need no values (shape, dtype, layout, ...); nullopt for other names.
std::optional<Value> propertyOfConstant(const TensorValue& self, std::string_view name);
/// Returns `self.T`, `self.mT`, `self.H` or `self.mH` if the tensor has it; nullopt for other names.
std::optional<Value> transposeOfConstant(const TensorValue& self, std::string_view name);
/// Returns `object.name` for dtypes and their torch.finfo and torch.iinfo, devices and numbers; nullopt for other names
/// and values.
std::optional<Value> attributeOfConstant(const Value& object, std::string_view name);
/// Returns the result of an operator on constants of which at least one is a tensor.
Value constantFromOperator(std::string_view op, const Value& left, const Value& right);

} // namespace fx::trace
