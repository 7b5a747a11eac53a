// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/graph.h"

#include <mutex>
#include <optional>

namespace fx {

/// A violation found by `lint`: the affected node and torch.fx's message.
struct LintProblem {
    NodeId node = kNoNode; ///< the affected node
    Message message;       ///< torch.fx's message
};

/// Runs the structural checks of torch.fx `Graph.lint`: unique names, inputs defined before use, consistent users.
/// O(n). `lintModulePaths` in core/module checks paths of modules and attributes.
std::vector<LintProblem> lint(const Graph& graph);

/// Lints versions of a graph incrementally. It remembers the last version without problems, and checks only nodes that
/// differ from it. Thread-safe.
class LintMemory {
public:
    /// Returns the result of `lint`. O(difference) if an earlier version had no problems.
    std::vector<LintProblem> check(const Graph& graph);

private:
    std::mutex m_mutex;
    std::optional<Graph> m_clean;
};

} // namespace fx
