// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fx {

/// A set of 32-bit ids that keeps the order of insertion: the shape of torch.fx's `node.users` (a dict).
///
/// Adding a member again keeps its position; removing and adding moves it to the end. Every operation is O(1)
/// amortised: small sets are scanned, larger ones carry an index; removed entries are skipped and later compacted.
template<class Id> class OrderedIdSet {
    static constexpr std::size_t kIndexFrom = 24;
    static constexpr Id kHole = static_cast<Id>(0xFFFFFFFFu);

public:
    /// Forward iterator that skips removed entries.
    class Iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = Id;
        using difference_type = std::ptrdiff_t;
        using pointer = const Id*;
        using reference = Id;
        Iterator(const Id* at, const Id* end) : m_at(at), m_end(end) { skip(); }
        Id operator*() const { return *m_at; }
        Iterator& operator++() {
            ++m_at;
            skip();
            return *this;
        }
        bool operator==(const Iterator& other) const { return m_at == other.m_at; }

    private:
        void skip() {
            while (m_at != m_end && *m_at == kHole) ++m_at;
        }
        const Id* m_at;
        const Id* m_end;
    };

    OrderedIdSet() = default;
    OrderedIdSet(const OrderedIdSet& other) : m_entries(other.begin(), other.end()), m_count(other.m_count) {
        reindex();
    }
    OrderedIdSet(OrderedIdSet&&) noexcept = default;
    OrderedIdSet& operator=(OrderedIdSet other) noexcept {
        m_entries.swap(other.m_entries);
        m_index.swap(other.m_index);
        m_count = other.m_count;
        return *this;
    }

    std::size_t size() const { return m_count; }
    bool empty() const { return m_count == 0; }
    Iterator begin() const { return {m_entries.data(), m_entries.data() + m_entries.size()}; }
    Iterator end() const { return {m_entries.data() + m_entries.size(), m_entries.data() + m_entries.size()}; }
    Id front() const { return *begin(); }
    bool contains(Id id) const { return place(id) >= 0; }

    void add(Id id) {
        if (place(id) >= 0) return;
        m_entries.push_back(id);
        ++m_count;
        if (m_index) {
            m_index->emplace(static_cast<std::uint32_t>(id), m_entries.size() - 1);
        } else if (m_entries.size() > kIndexFrom) {
            compact();
        }
    }

    void remove(Id id) {
        const auto at = place(id);
        if (at < 0) return;
        m_entries[static_cast<std::size_t>(at)] = kHole;
        if (m_index) m_index->erase(static_cast<std::uint32_t>(id));
        --m_count;
        if (m_entries.size() > 8 && m_count * 2 < m_entries.size()) compact();
    }

private:
    std::ptrdiff_t place(Id id) const {
        if (m_index) {
            const auto found = m_index->find(static_cast<std::uint32_t>(id));
            return found == m_index->end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
        }
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            if (m_entries[i] == id) return static_cast<std::ptrdiff_t>(i);
        return -1;
    }
    void compact() {
        std::erase(m_entries, kHole);
        reindex();
    }
    void reindex() {
        m_index.reset();
        if (m_entries.size() <= kIndexFrom) return;
        m_index = std::make_unique<std::unordered_map<std::uint32_t, std::size_t>>();
        m_index->reserve(m_entries.size() * 2);
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            m_index->emplace(static_cast<std::uint32_t>(m_entries[i]), i);
    }

    std::vector<Id> m_entries;
    std::unique_ptr<std::unordered_map<std::uint32_t, std::size_t>> m_index;
    std::size_t m_count = 0;
};

} // namespace fx
