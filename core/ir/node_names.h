// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/ir/node.h"

#include <string_view>

namespace fx {

/// A hash table from name to node. It stores node ids; the keys are the names of the nodes themselves. Copies share
/// memory as in CowChunks.
class NodeNames {
public:
    using Nodes = CowChunks<Node>;

    /// The number of names.
    std::size_t size() const { return m_size; }
    /// Returns the node with this name, or kNoNode.
    NodeId find(const Nodes& nodes, std::string_view name) const;
    /// Registers the name of a node. Returns false without changes if another node has registered it.
    bool enter(const Nodes& nodes, NodeId id);
    /// Transfers the name of a registered node to `heir`, which has the same name, or removes it if `heir` is kNoNode.
    void remove(const Nodes& nodes, NodeId id, NodeId heir);

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t node = kEmpty; ///< index + 2, kEmpty or kRemoved
    };
    static constexpr std::uint32_t kEmpty = 0, kRemoved = 1;
    static NodeId nodeOf(const Slot& slot) { return static_cast<NodeId>(slot.node - 2); }

    /// Returns the slot of `name`, or the first slot that it may take.
    std::size_t slotOf(const Nodes& nodes, std::string_view name, std::uint32_t hash) const;
    void makeRoom();

    CowChunks<Slot, 64> m_slots;         ///< the size is a power of two
    std::size_t m_size = 0, m_taken = 0; ///< m_taken includes removed entries; at most half of the slots
};

} // namespace fx
