// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/name_hash.h"
#include "core/trace/value.h"

#include <functional>
#include <string_view>

namespace fx::trace {

/// The local names of a function body, as a hash table in few blocks of memory, because each line of generated code
/// binds names. Keys are views into the source.
///
/// Generated code sets each name to None after its last use. Such a name stores no value, and the next name reuses its
/// slot. A million lines thus need only as many slots as names are live at once, which stay in the cache.
class LocalNames {
public:
    void clear() { *this = {}; } ///< unbinds all names
    /// Returns the value of `name`, or null if it is not bound. Valid until another name is bound.
    const Value* find(std::string_view name) const {
        if (m_slots.empty()) return nullptr;
        const std::uint32_t place = m_slots[slotOf(name, nameHash(name))].place;
        if (place == 0) return nullptr;
        static const Value kNothing = none();
        const std::uint32_t value = m_entries[place - 1].value;
        return value == kNone ? &kNothing : &m_values[value - 1];
    }
    /// Binds `name`, whose text must outlive the table.
    void bind(std::string_view name, Value value) {
        if (2 * (m_entries.size() + 1) > m_slots.size()) grow();
        const std::uint32_t hash = nameHash(name);
        Slot& slot = m_slots[slotOf(name, hash)];
        if (slot.place == 0) {
            m_entries.push_back({name.data(), static_cast<std::uint32_t>(name.size()), kNone});
            slot = {hash, static_cast<std::uint32_t>(m_entries.size())};
        }
        std::uint32_t& at = m_entries[slot.place - 1].value;
        if (value.isNone()) {
            if (at != kNone) m_free.push_back(at), m_values[at - 1] = none();
            at = kNone;
            return;
        }
        if (at == kNone) at = freePlace();
        m_values[at - 1] = std::move(value);
    }

private:
    struct Entry {
        const char* text;
        std::uint32_t length, value; ///< index + 1 in m_values, or kNone
        std::string_view name() const { return {text, length}; }
    };
    struct Slot {
        std::uint32_t hash = 0, place = 0; ///< index + 1 in m_entries, or 0 if empty
    };
    static constexpr std::uint32_t kNone = 0;

    std::uint32_t freePlace() {
        if (m_free.empty()) {
            m_values.emplace_back();
            return static_cast<std::uint32_t>(m_values.size());
        }
        const std::uint32_t place = m_free.back();
        m_free.pop_back();
        return place;
    }
    /// Returns the slot of `name`, or the empty slot where it belongs.
    std::size_t slotOf(std::string_view name, std::uint32_t hash) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t at = hash & mask;
        while (m_slots[at].place != 0 && (m_slots[at].hash != hash || m_entries[m_slots[at].place - 1].name() != name))
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(m_slots.empty() ? 64 : 2 * m_slots.size());
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
    std::vector<Value> m_values;
    std::vector<std::uint32_t> m_free; ///< free indices of m_values, + 1
};

} // namespace fx::trace
