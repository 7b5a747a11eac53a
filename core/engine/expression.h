// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"
#include "core/tensor/tensor_ref.h"

#include <functional>

namespace fx::engine {

/// What `self` is in the text of an expression.
struct ExpressionScope {
    std::shared_ptr<const Module> self;                   ///< null: the text reads no model
    std::function<Value(const TensorPtr& tensor)> tensor; ///< gives a tensor of it
};

/// A constant that is made from tensors of its model: "torch.add(self.pos, 1)", "getattr(self.layers, '0').scale.T".
/// Others as `evaluateExpression(source)` of core/engine/calls.h. Throws Error{Run}, also for devices other than the
/// CPU and for texts that would change a tensor of the model.
Value evaluateExpression(std::string_view source, const ExpressionScope& scope);

} // namespace fx::engine
