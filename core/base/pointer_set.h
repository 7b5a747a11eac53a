// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fx {

/// A set of addresses that only grows, as a hash table in one block of memory.
class PointerSet {
public:
    /// Inserts an address, which must not be null. Returns false if it is already in the set.
    bool insert(const void* pointer) {
        if (2 * (m_size + 1) > m_slots.size()) grow();
        const void*& slot = m_slots[slotOf(pointer)];
        if (slot == pointer) return false;
        slot = pointer;
        ++m_size;
        return true;
    }

private:
    /// Returns the slot of the address, or the empty slot where it belongs.
    std::size_t slotOf(const void* pointer) const {
        const std::size_t mask = m_slots.size() - 1;
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(pointer) * 0x9E3779B97F4A7C15ull;
        std::size_t at = static_cast<std::size_t>(mixed >> 32) & mask;
        while (m_slots[at] && m_slots[at] != pointer) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<const void*> old(m_slots.empty() ? 64 : 2 * m_slots.size());
        old.swap(m_slots);
        for (const void* pointer : old)
            if (pointer) m_slots[slotOf(pointer)] = pointer;
    }

    std::vector<const void*> m_slots; ///< null is an empty slot; the size is a power of two, at most half full
    std::size_t m_size = 0;
};

} // namespace fx
