// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/call_semantics.h"

#include <optional>

namespace fx {

/// Detects values of a pipeline that share memory in the model but are sent to a stage as separate copies.
///
///     stage 0: a = linear(x) ── v = a.view(-1)      sent: a and v, as separate copies
///     stage 1: v.add_(1) ── y = relu(a)             a clash: in PyTorch, v.add_ changes a; here it does not
class SentMemory {
public:
    /// `stageOf` is by node id. Keeps references to its arguments. Linear.
    SentMemory(const Graph& graph, const std::vector<int>& stageOf, const CallSemantics& semantics);

    /// A node that writes to a value, and another value in the same memory that is sent separately and read later.
    struct Clash {
        NodeId writer, written, other; ///< `writer` writes to `written`; `other` shares its memory
    };
    /// Returns the first clash in graph order. Linear in the nodes and the values that they write to.
    std::optional<Clash> firstClash() const;

private:
    /// Returns the value that carried the memory of `id` to `stage`; `id` itself if the stage computes it.
    NodeId sentAs(NodeId id, int stage) const { return m_stageOf[index(id)] == stage ? m_entry[index(id)] : id; }
    bool clashes(NodeId writer, NodeId written, NodeId other) const;

    const Graph& m_graph;
    const std::vector<int>& m_stageOf;
    const CallSemantics& m_semantics;
    std::vector<NodeId> m_entry;                 ///< by node id: the value that carried its memory to its stage
    std::vector<NodeId> m_memory;                ///< by node id: the value that allocated the memory
    std::vector<std::size_t> m_place, m_lastUse; ///< by node id: position in graph order, from 1; 0: no use
    std::vector<std::vector<NodeId>> m_sharers;  ///< by `m_memory`
    std::vector<std::vector<NodeId>> m_byStage;
};

} // namespace fx
