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

/// "conv2d" of "torch.nn.functional.conv2d", "torch.ops.aten.conv2d.default" and "conv2d_".
std::string operationName(std::string_view target);
OperationKind operationKind(std::string_view name);
/// The kind for a module class of torch.nn.
OperationKind moduleKind(std::string_view className);

} // namespace fx
