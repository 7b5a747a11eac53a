// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/graph.h"

#include <mutex>
#include <optional>

namespace fx {

/// A violation found by lint: torch.fx's message and the affected node.
struct LintProblem {
    NodeId node = kNoNode;
    Message message;
};

/// The structural checks of torch.fx `Graph.lint`: unique names, inputs defined before use, users consistent. O(n).
/// Paths of modules and attributes are checked by `lintModulePaths` in core/module.
std::vector<LintProblem> lint(const Graph& graph);

/// The last version of a graph in which lint found nothing, shared by all versions: the next one is compared with it,
/// and only what differs is checked. Any thread.
class LintMemory {
public:
    /// As `lint`. O(what differs) if an earlier version was without problems.
    std::vector<LintProblem> check(const Graph& graph);

private:
    std::mutex m_mutex;
    std::optional<Graph> m_clean;
};

} // namespace fx
