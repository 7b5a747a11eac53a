// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/call_semantics.h"
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx::onednn {

/// Where in a graph which memory is written to. Knows the graph as it was; any thread.
class MemoryWrites {
public:
    MemoryWrites(const Graph& graph, const CallSemantics& semantics);
    /// Whether a node between two others writes to the memory of a value. Logarithmic.
    bool between(NodeId first, NodeId last, NodeId value) const;
    /// Whether a node after this one does.
    bool after(NodeId node, NodeId value) const { return between(node, kNoNode, value); }

private:
    std::vector<NodeId> m_memory;       ///< by node id
    std::vector<std::uint32_t> m_place; ///< likewise
    std::unordered_map<NodeId, std::vector<std::uint32_t>> m_writes;
};

} // namespace fx::onednn
