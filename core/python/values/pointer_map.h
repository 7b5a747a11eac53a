// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace fx::python {

/// A map from object addresses to values with open addressing in one block, for maps with an entry per module of a
/// model. Entries are never removed. The null key has no entry.
template<class Key, class T> class PointerMap {
public:
    /// Returns the value of a key, or null.
    T* find(const Key* key) {
        if (m_slots.empty() || !key) return nullptr;
        for (std::size_t at = placeOf(key);; at = (at + 1) & (m_slots.size() - 1)) {
            if (m_slots[at].first == key) return &m_slots[at].second;
            if (!m_slots[at].first) return nullptr;
        }
    }
    /// Sets the value of a key.
    void set(const Key* key, T value) {
        if (T* known = find(key)) {
            *known = std::move(value);
            return;
        }
        if (2 * (m_count + 1) > m_slots.size()) grow();
        place(key, std::move(value));
        ++m_count;
    }

private:
    std::size_t placeOf(const Key* key) const {
        const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(key));
        return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15u) >> 20) & (m_slots.size() - 1);
    }
    void place(const Key* key, T value) {
        std::size_t at = placeOf(key);
        while (m_slots[at].first) at = (at + 1) & (m_slots.size() - 1);
        m_slots[at] = {key, std::move(value)};
    }
    void grow() {
        std::vector<std::pair<const Key*, T>> before(m_slots.empty() ? 64 : 2 * m_slots.size());
        std::swap(before, m_slots);
        for (auto& [key, value] : before)
            if (key) place(key, std::move(value));
    }

    std::vector<std::pair<const Key*, T>> m_slots;
    std::size_t m_count = 0;
};

} // namespace fx::python
