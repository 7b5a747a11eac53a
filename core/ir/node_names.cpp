// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/node_names.h"

#include "core/base/name_hash.h"

namespace fx {

std::size_t NodeNames::slotOf(const Nodes& nodes, std::string_view name, std::uint32_t hash) const {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t free = m_slots.size();
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = m_slots[at];
        if (slot.node == kEmpty) return free == m_slots.size() ? at : free;
        if (slot.node == kRemoved) free = std::min(free, at);
        else if (slot.hash == hash && nodes[index(nodeOf(slot))].name() == name) return at;
    }
}

NodeId NodeNames::find(const Nodes& nodes, std::string_view name) const {
    if (m_size == 0) return kNoNode;
    const Slot& slot = m_slots[slotOf(nodes, name, nameHash(name))];
    return slot.node > kRemoved ? nodeOf(slot) : kNoNode;
}

bool NodeNames::enter(const Nodes& nodes, NodeId id) {
    if (2 * (m_taken + 1) > m_slots.size()) makeRoom();
    const std::string& name = nodes[index(id)].name();
    const std::uint32_t hash = nameHash(name);
    const std::size_t at = slotOf(nodes, name, hash);
    if (m_slots[at].node > kRemoved) return false;
    m_taken += m_slots[at].node == kEmpty;
    m_slots.mut(at) = {hash, index(id) + 2};
    ++m_size;
    return true;
}

void NodeNames::remove(const Nodes& nodes, NodeId id, NodeId heir) {
    const std::size_t mask = m_slots.size() - 1;
    std::size_t at = nameHash(nodes[index(id)].name()) & mask;
    while (m_slots[at].node != index(id) + 2) at = (at + 1) & mask; // it is there: no name has to be compared
    m_slots.mut(at).node = heir == kNoNode ? kRemoved : index(heir) + 2;
    m_size -= heir == kNoNode;
}

/// Leaves out what was removed; the table grows if that is not enough.
void NodeNames::makeRoom() {
    const CowChunks<Slot, 64> old = std::exchange(m_slots, {});
    std::size_t wanted = 64;
    while (wanted < 3 * (m_size + 1)) wanted *= 2;
    while (m_slots.size() < wanted) m_slots.grow();
    for (std::size_t i = 0; i < old.size(); ++i) {
        const Slot& slot = old[i];
        if (slot.node <= kRemoved) continue;
        std::size_t at = slot.hash & (wanted - 1);
        while (m_slots[at].node != kEmpty) at = (at + 1) & (wanted - 1);
        m_slots.mut(at) = slot;
    }
    m_taken = m_size;
}

} // namespace fx
