// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/shapes/cost.h"

namespace fx {

/// What kind of work an operation is, and its flops for each element of its result (or of its largest input).
struct OperationKind {
    NodeCost::Kind kind = NodeCost::Kind::Elementwise;
    double perElement = 1;
    bool ofInput = false;
};

/// Of an operator by its canonical name (core/ops/semantics).
OperationKind operationKind(std::string_view name);
/// By the class of a module of torch.nn.
OperationKind moduleKind(std::string_view className);

} // namespace fx
