// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

namespace fx {

/// torch.fx `validate_partition`: asks of sets of nodes whether some way leads out of the set and back into it.
class CycleCheck {
public:
    explicit CycleCheck(const Graph& graph) : m_graph(graph), m_seen(graph.idLimit()) {}

    /// True when no way leads out of `inside` and back. A way back has to arrive before the last node of the set, so
    /// only the stretch of the graph up to there is walked.
    bool isAcyclic(std::vector<NodeId> inside);

private:
    const Graph& m_graph;
    std::vector<std::uint32_t> m_seen; ///< by node: the walk that came by
    std::uint32_t m_walk = 0;
};

} // namespace fx
