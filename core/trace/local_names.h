// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/value.h"

#include <functional>
#include <string_view>

namespace fx::trace {

/// The local names of a function body: a hash table in two blocks of memory, because each line of generated code binds
/// names. Keys are views into the source.
class LocalNames {
public:
    void clear() {
        m_entries.clear();
        m_slots.clear();
    }
    /// The value of `name`, or null if it is not bound.
    const Value* find(std::string_view name) const {
        if (m_slots.empty()) return nullptr;
        const std::uint32_t place = m_slots[slotOf(name)].place;
        return place == 0 ? nullptr : &m_entries[place - 1].value;
    }
    void bind(std::string_view name, Value value) {
        if (2 * (m_entries.size() + 1) > m_slots.size()) grow();
        Slot& slot = m_slots[slotOf(name)];
        if (slot.place != 0) {
            m_entries[slot.place - 1].value = std::move(value);
        } else {
            m_entries.push_back({name, std::move(value)});
            slot = {hashOf(name), static_cast<std::uint32_t>(m_entries.size())};
        }
    }

private:
    struct Entry {
        std::string_view name;
        Value value;
    };
    struct Slot {
        std::uint32_t hash = 0, place = 0; ///< index + 1 in m_entries, or 0 if empty
    };
    static std::uint32_t hashOf(std::string_view name) {
        return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
    }

    /// Where `name` is, or the empty slot where it belongs.
    std::size_t slotOf(std::string_view name) const {
        const std::uint32_t hash = hashOf(name);
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = hash & mask;
        while (m_slots[at].place != 0 && (m_slots[at].hash != hash || m_entries[m_slots[at].place - 1].name != name))
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(m_slots.empty() ? 64 : 4 * m_slots.size());
        old.swap(m_slots);
        const std::size_t mask = m_slots.size() - 1;
        for (const Slot& slot : old) {
            std::size_t at = slot.hash & mask;
            while (slot.place != 0 && m_slots[at].place != 0) at = (at + 1) & mask;
            if (slot.place != 0) m_slots[at] = slot;
        }
    }

    std::vector<Entry> m_entries;
    std::vector<Slot> m_slots; ///< the size is a power of two; at most half full
};

} // namespace fx::trace
