// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/shapes/cost.h"

namespace fx {

/// The kind of work of an operation, and its FLOPs per element of the result, or of the largest input.
struct OperationKind {
    NodeCost::Kind kind = NodeCost::Kind::Elementwise;
    double perElement = 1; ///< FLOPs per element
    /// Counts elements of the largest input instead of the result.
    bool ofInput = false;
};

/// Returns the kind of an operator by its canonical name (core/ops/semantics).
OperationKind operationKind(std::string_view name);
/// Returns the kind of a module by its class, "torch.nn.modules.activation.ReLU".
OperationKind moduleKind(std::string_view qualifiedType);

} // namespace fx
