// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/name_hash.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace fx {

/// A hash index from name to number, in two blocks of memory. The caller owns the text of the names.
class NameIndex {
public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu; ///< returned by `find` for an unknown name

    std::size_t size() const { return m_entries.size(); } ///< number of names
    /// Returns the number of a name, or kNone.
    std::uint32_t find(std::string_view name) const {
        if (m_slots.empty()) return kNone;
        const std::uint32_t place = m_slots[slotOf(name, nameHash(name))].place;
        return place == 0 ? kNone : m_entries[place - 1].number;
    }
    /// Returns the number of a name; a new name gets `number`. The text of a new name must outlive the index.
    std::uint32_t enter(std::string_view name, std::uint32_t number) {
        if (2 * (m_entries.size() + 1) > m_slots.size()) grow(m_slots.empty() ? 32 : 2 * m_slots.size());
        const std::uint32_t hash = nameHash(name);
        Slot& slot = m_slots[slotOf(name, hash)];
        if (slot.place != 0) return m_entries[slot.place - 1].number;
        m_entries.push_back({name, number});
        slot = {hash, static_cast<std::uint32_t>(m_entries.size())};
        return number;
    }
    /// Reserves memory for so many names.
    void reserve(std::size_t names) {
        std::size_t slots = 32;
        while (slots < 2 * (names + 1)) slots *= 2;
        m_entries.reserve(names);
        if (slots > m_slots.size()) grow(slots);
    }

private:
    struct Entry {
        std::string_view name;
        std::uint32_t number;
    };
    struct Slot {
        std::uint32_t hash = 0, place = 0; ///< index + 1 in m_entries, or 0 if empty
    };
    std::size_t slotOf(std::string_view name, std::uint32_t hash) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = hash & mask;
        while (m_slots[at].place != 0 && (m_slots[at].hash != hash || m_entries[m_slots[at].place - 1].name != name))
            at = (at + 1) & mask;
        return at;
    }
    void grow(std::size_t size) {
        std::vector<Slot> old(size);
        old.swap(m_slots);
        for (const Slot& slot : old) {
            if (slot.place == 0) continue;
            std::size_t at = slot.hash & (size - 1);
            while (m_slots[at].place != 0) at = (at + 1) & (size - 1);
            m_slots[at] = slot;
        }
    }

    std::vector<Entry> m_entries;
    std::vector<Slot> m_slots; ///< the size is a power of two; at most half full
};

} // namespace fx
