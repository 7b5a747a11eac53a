// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/base/text_hash.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fx {

/// A hash table from text to Value that copies share like CowChunks. Keys are never removed; use a Value that means
/// "absent" instead. Keys are listed in insertion order.
template<class Value> class CowMap {
public:
    /// Index of a key; it never changes.
    using Place = std::uint32_t;
    static constexpr Place kNone = 0xFFFFFFFFu;

    std::size_t size() const { return m_entries.size(); }
    const std::string& key(Place place) const { return m_entries[place].key; }
    const Value& operator[](Place place) const { return m_entries[place].value; }
    Value& mut(Place place) { return m_entries.mut(place).value; }

    /// The index of `key`, or kNone if it is unknown.
    Place find(std::string_view key) const { return m_slots.size() == 0 ? kNone : m_slots[slotOf(key)] - 1; }

    /// The index of `key`, which is inserted with Value() if it is new.
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
    CowChunks<Place, 256> m_slots; ///< index + 1, or 0 if empty; the size is a power of two, at most half full
};

} // namespace fx
