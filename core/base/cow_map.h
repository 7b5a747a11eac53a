// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/base/text_hash.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fx {

/// A hash table from text to Value that copies share like CowChunks. Keys stay once entered: "not there" is a Value of
/// its own where something can leave. Keys are listed in the order of entry.
template<class Value> class CowMap {
public:
    /// Number of a key, which never changes.
    using Place = std::uint32_t;
    static constexpr Place kNone = 0xFFFFFFFFu;

    std::size_t size() const { return m_entries.size(); }
    const std::string& key(Place place) const { return m_entries[place].key; }
    const Value& operator[](Place place) const { return m_entries[place].value; }
    Value& mut(Place place) { return m_entries.mut(place).value; }

    /// The place of `key`, kNone when it was never entered.
    Place find(std::string_view key) const { return m_slots.size() == 0 ? kNone : m_slots[slotOf(key)] - 1; }

    /// The place of `key`, which is entered with Value() when it is new.
    Place enter(std::string_view key) {
        if (2 * (m_entries.size() + 1) > m_slots.size()) grow();
        const std::size_t slot = slotOf(key);
        if (const Place place = m_slots[slot] - 1; place != kNone) return place;
        const auto place = static_cast<Place>(m_entries.push({std::string(key), Value()}));
        m_slots.mut(slot) = place + 1;
        return place;
    }

private:
    struct Entry {
        std::string key;
        Value value;
    };

    /// Where `key` is, or the empty slot where it belongs.
    std::size_t slotOf(std::string_view key) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t slot = TextHash{}(key)&mask;
        while (m_slots[slot] != 0 && m_entries[m_slots[slot] - 1].key != key) slot = (slot + 1) & mask;
        return slot;
    }

    void grow() {
        const std::size_t wanted = m_slots.size() == 0 ? 64 : 4 * m_slots.size();
        m_slots = {};
        while (m_slots.size() < wanted) m_slots.push(0);
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            m_slots.mut(slotOf(m_entries[i].key)) = static_cast<Place>(i) + 1;
    }

    CowChunks<Entry> m_entries;
    CowChunks<Place, 256> m_slots; ///< place + 1, 0: empty; a power of two of them, at most half full
};

} // namespace fx
