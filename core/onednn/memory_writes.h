// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/call_semantics.h"
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx::onednn {

/// Index of the writes to memory in a graph. Describes the graph at construction; thread-safe.
class MemoryWrites {
public:
    /// O(nodes).
    MemoryWrites(const Graph& graph, const CallSemantics& semantics);
    /// True if a node between `first` and `last` in graph order writes to the memory of a value. Logarithmic.
    bool between(NodeId first, NodeId last, NodeId value) const;
    /// True if a node after `node` writes to the memory of a value.
    bool after(NodeId node, NodeId value) const { return between(node, kNoNode, value); }

private:
    std::vector<NodeId> m_memory;       ///< by node id: the node that allocated its memory
    std::vector<std::uint32_t> m_place; ///< by node id: its position in graph order
    std::unordered_map<NodeId, std::vector<std::uint32_t>> m_writes;
};

} // namespace fx::onednn
