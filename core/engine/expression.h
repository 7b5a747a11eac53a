// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"
#include "core/tensor/tensor_ref.h"

#include <functional>

namespace fx::engine {

/// The object that `self` denotes in an expression.
struct ExpressionScope {
    std::shared_ptr<const Module> self;                   ///< null if the expression does not use the model
    std::function<Value(const TensorPtr& tensor)> tensor; ///< returns a tensor of the model
};

/// Evaluates a constant that depends on tensors of its model: "torch.add(self.pos, 1)", "getattr(self.layers,
/// '0').scale.T". Other constants are evaluated by `evaluateExpression(source)` of core/engine/calls.h. Throws
/// Error{Run}, also for devices other than the CPU and for expressions that would change a tensor of the model.
Value evaluateExpression(std::string_view source, const ExpressionScope& scope);

} // namespace fx::engine
