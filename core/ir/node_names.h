// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/ir/node.h"

#include <string_view>

namespace fx {

/// Finds nodes by name: a hash table of node ids, whose keys are the names that the nodes themselves have. Copies share
/// it like CowChunks.
class NodeNames {
public:
    using Nodes = CowChunks<Node>;

    /// Names that a node has.
    std::size_t size() const { return m_size; }
    /// The node that has this name, or kNoNode.
    NodeId find(const Nodes& nodes, std::string_view name) const;
    /// Gives the node its name. Returns false, without changes, if another node has it.
    bool enter(const Nodes& nodes, NodeId id);
    /// The name of a node that has it goes to `heir`, which is called the same, or to nobody if that is kNoNode.
    void remove(const Nodes& nodes, NodeId id, NodeId heir);

private:
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t node = kEmpty; ///< index + 2
    };
    static constexpr std::uint32_t kEmpty = 0, kRemoved = 1;
    static NodeId nodeOf(const Slot& slot) { return static_cast<NodeId>(slot.node - 2); }

    /// Where `name` is, or else the first slot that it may take.
    std::size_t slotOf(const Nodes& nodes, std::string_view name, std::uint32_t hash) const;
    void makeRoom();

    CowChunks<Slot, 64> m_slots;         ///< the size is a power of two
    std::size_t m_size = 0, m_taken = 0; ///< taken: with removed ones; at most half
};

} // namespace fx
