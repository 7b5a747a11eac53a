// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// The values that a node writes to when it runs: the arguments that the schema of an operator marks as written, the
/// first one of `x.relu_()`, `torch.relu_(x)`, `x += y`, and of a function or module with `inplace=True`. In order,
/// each once.
std::vector<NodeId> writtenInPlace(const Module& root, const Node& node);

/// The values whose memory the result of a node may be, wholly or in part: those of views, of what it writes to, and of
/// what is given back as it came in some cases (`x.float()`, dropout in eval mode). In order, each once; too many
/// rather than too few, except that functions and classes of other packages are taken to give memory of their own.
std::vector<NodeId> sharedMemory(const Module& root, const Node& node);

} // namespace fx
