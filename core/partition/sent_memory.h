// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/call_semantics.h"

#include <optional>

namespace fx {

/// Which values of a pipeline lie in the same memory, and came to a stage in which messages.
///
///     stage 0: a = linear(x) ── v = a.view(-1)      sent: a, v; each is a copy of its own there
///     stage 1: v.add_(1) ── y = relu(a)             a clash: PyTorch's a has changed too, this one has not
class SentMemory {
public:
    /// `stageOf`: by node id. Linear.
    SentMemory(const Graph& graph, const std::vector<int>& stageOf, const CallSemantics& semantics);

    /// A node that writes to a value, and another value in the same memory that was sent by itself and is read later.
    struct Clash {
        NodeId writer, written, other;
    };
    /// The first in graph order. Linear in the nodes and what they write to.
    std::optional<Clash> firstClash() const;

private:
    /// The value in which `id` came to `stage`; itself when it was made there.
    NodeId sentAs(NodeId id, int stage) const { return m_stageOf[index(id)] == stage ? m_entry[index(id)] : id; }
    bool clashes(NodeId writer, NodeId written, NodeId other) const;

    const Graph& m_graph;
    const std::vector<int>& m_stageOf;
    const CallSemantics& m_semantics;
    std::vector<NodeId> m_entry;                 ///< by node id: in which its memory came to its own stage
    std::vector<NodeId> m_memory;                ///< by node id: the value that made the memory
    std::vector<std::size_t> m_place, m_lastUse; ///< by node id: in graph order, from 1; 0: nothing uses it
    std::vector<std::vector<NodeId>> m_sharers;  ///< by m_memory
    std::vector<std::vector<NodeId>> m_byStage;
};

} // namespace fx
