// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/memory_writes.h"

#include <algorithm>

namespace fx::onednn {

MemoryWrites::MemoryWrites(const Graph& graph, const CallSemantics& semantics)
    : m_memory(semantics.memoryOf(graph)), m_place(graph.idLimit()) {
    std::uint32_t place = 0;
    for (const Node& node : graph.nodes()) {
        m_place[index(node.id())] = ++place;
        for (const NodeId written : semantics.written(node)) m_writes[m_memory[index(written)]].push_back(place);
    }
}

bool MemoryWrites::between(NodeId first, NodeId last, NodeId value) const {
    const auto found = m_writes.find(m_memory[index(value)]);
    if (found == m_writes.end()) return false;
    const auto next = std::upper_bound(found->second.begin(), found->second.end(), m_place[index(first)]);
    return next != found->second.end() && (last == kNoNode || *next < m_place[index(last)]);
}

} // namespace fx::onednn
