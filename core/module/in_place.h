// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The values that a node writes to when it runs: the arguments that the schema of an operator marks as written, the first one of
/// `x.relu_()`, `torch.relu_(x)`, `x += y`, and of a function or module with `inplace=True`. In order, each once.
std::vector<NodeId> writtenInPlace(const Module& root, const Node& node);

} // namespace fx
