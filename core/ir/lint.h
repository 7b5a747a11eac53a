// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/graph.h"

namespace fx {

/// A violation found by lint: torch.fx's message and the affected node.
struct LintProblem {
    NodeId node = kNoNode;
    Message message;
};

/// The structural checks of torch.fx `Graph.lint`: unique names, inputs defined before use, users consistent. O(n).
/// Paths of modules and attributes are checked by `lintModulePaths` in core/module.
std::vector<LintProblem> lint(const Graph& graph);

} // namespace fx
