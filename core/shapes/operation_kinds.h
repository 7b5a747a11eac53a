// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/shapes/cost.h"

namespace fx {

/// The kind of work of an operation, and its FLOPs per element of its result (or of its largest input).
struct OperationKind {
    NodeCost::Kind kind = NodeCost::Kind::Elementwise;
    double perElement = 1;
    bool ofInput = false;
};

/// Of an operator by its canonical name (core/ops/semantics).
OperationKind operationKind(std::string_view name);
/// Of a module by its class, "torch.nn.modules.activation.ReLU".
OperationKind moduleKind(std::string_view qualifiedType);

} // namespace fx
