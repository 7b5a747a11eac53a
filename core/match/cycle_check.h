// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// torch.fx `validate_partition`: checks whether a path leads out of a set of nodes and back into it.
class CycleCheck {
public:
    explicit CycleCheck(const Graph& graph) : m_graph(graph), m_seen(graph.idLimit()) {}

    /// True if no path leads out of `inside` and back. Such a path must return before the last node of the set, so only
    /// the graph up to that node is searched. Sorts `inside`.
    bool isAcyclic(std::vector<NodeId>& inside);

private:
    const Graph& m_graph;
    std::vector<std::uint32_t> m_seen; ///< by node: the last search that visited it
    std::uint32_t m_walk = 0;
    std::vector<NodeId> m_open;
};

} // namespace fx
