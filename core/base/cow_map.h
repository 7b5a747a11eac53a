// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"
#include "core/base/name_hash.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fx {

/// A copy-on-write hash table from text to Value, shared by copies as in CowChunks. Keys are listed in insertion order
/// and never removed; use a Value that means "absent" instead.
template<class Value> class CowMap {
public:
    /// Index of a key; it never changes.
    using Place = std::uint32_t;
    static constexpr Place kNone = 0xFFFFFFFFu; ///< returned by `find` for an unknown key

    std::size_t size() const { return m_entries.size(); } ///< number of keys
    /// The key at `place`.
    const std::string& key(Place place) const { return m_entries[place].key; }
    /// The value at `place`.
    const Value& operator[](Place place) const { return m_entries[place].value; }
    /// The value at `place`, for writing.
    Value& mut(Place place) { return m_entries.mut(place).value; }

    /// Returns the index of `key`, or kNone if it is unknown. O(1).
    Place find(std::string_view key) const {
        return m_slots.size() == 0 ? kNone : m_slots[slotOf(key, nameHash(key))].next - 1;
    }

    /// Returns the index of `key`, after inserting it with Value() if it is new. O(1) amortised.
    Place enter(std::string_view key) {
        if (2 * (m_entries.size() + 1) > m_slots.size()) grow();
        const std::uint32_t hash = nameHash(key);
        const std::size_t slot = slotOf(key, hash);
        if (const Place place = m_slots[slot].next - 1; place != kNone) return place;
        const auto place = static_cast<Place>(m_entries.push({std::string(key), Value()}));
        m_slots.mut(slot) = {place + 1, hash};
        return place;
    }

private:
    struct Entry {
        std::string key;
        Value value;
    };

    /// A slot stores the hash beside the index, so that probing past other keys does not touch their entries.
    struct Slot {
        Place next = 0; ///< index + 1, or 0 if empty
        std::uint32_t hash = 0;
    };
    /// Returns the slot of `key`, or the empty slot where it belongs.
    std::size_t slotOf(std::string_view key, std::uint32_t hash) const {
        const std::size_t mask = m_slots.size() - 1;
        for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
            const Slot& at = m_slots[slot];
            if (at.next == 0 || (at.hash == hash && m_entries[at.next - 1].key == key)) return slot;
        }
    }

    void grow() {
        const Slots old = std::exchange(m_slots, {});
        const std::size_t wanted = old.size() == 0 ? 64 : 2 * old.size(), mask = wanted - 1;
        while (m_slots.size() < wanted) m_slots.push({});
        for (std::size_t i = 0; i < old.size(); ++i) {
            if (old[i].next == 0) continue;
            std::size_t slot = old[i].hash & mask;
            while (m_slots[slot].next != 0) slot = (slot + 1) & mask;
            m_slots.mut(slot) = old[i];
        }
    }

    using Slots = CowChunks<Slot, 64>;
    CowChunks<Entry> m_entries;
    Slots m_slots; ///< the size is a power of two, at most half full
};

} // namespace fx
