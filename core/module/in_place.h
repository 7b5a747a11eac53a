// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The values that a node writes to: arguments marked as written in the schema of an operator, the first argument of
/// `x.relu_()`, `torch.relu_(x)`, `x += y`, and of a function or module with `inplace=True`. In order, each once.
std::vector<NodeId> writtenInPlace(const Module& root, const Node& node);

/// The values whose memory the result of a node may share: bases of views, values that it writes to, and values that it
/// may return unchanged (`x.float()`, dropout in eval mode). In order, each once. Conservative, except that functions
/// and classes of other packages are assumed to return new memory.
std::vector<NodeId> sharedMemory(const Module& root, const Node& node);

} // namespace fx
