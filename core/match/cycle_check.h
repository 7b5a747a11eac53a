// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// torch.fx `validate_partition`: detects paths that leave a set of nodes and re-enter it.
class CycleCheck {
public:
    /// Keeps a reference to `graph`, which must outlive the check.
    explicit CycleCheck(const Graph& graph) : m_graph(graph), m_seen(graph.idLimit()) {}

    /// Returns true if no path leaves `inside` and re-enters it. Searches the graph only up to the last node of the
    /// set, since such a path must re-enter before it. Sorts `inside`.
    bool isAcyclic(std::vector<NodeId>& inside);

private:
    const Graph& m_graph;
    std::vector<std::uint32_t> m_seen; ///< by node: the last search that visited it
    std::uint32_t m_walk = 0;
    std::vector<NodeId> m_open;
};

} // namespace fx
