// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <unordered_map>
#include <vector>

namespace fx {

/// A set of 32-bit ids in insertion order, with the semantics of torch.fx's `node.users` (a dict).
///
/// Adding a member again keeps its position; removing and adding it moves it to the end. Every operation is O(1)
/// amortised. Up to three members are stored inline, since most nodes have few users; small lists are scanned, larger
/// ones have an index. Removed entries leave holes, which are compacted later.
template<class Id> class OrderedIdSet {
    static constexpr std::size_t kFew = 3;
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

    OrderedIdSet() { m_few.fill(kHole); }
    OrderedIdSet(const OrderedIdSet& other) : m_few(other.m_few), m_count(other.m_count) {
        if (!other.m_many) return;
        m_many = std::make_unique<Many>();
        m_many->entries.assign(other.begin(), other.end());
        reindex();
    }
    OrderedIdSet(OrderedIdSet&& other) noexcept : OrderedIdSet() { swap(other); }
    OrderedIdSet& operator=(OrderedIdSet other) noexcept {
        swap(other);
        return *this;
    }

    std::size_t size() const { return m_count; } ///< number of members
    bool empty() const { return m_count == 0; }
    Iterator begin() const { return {entries(), entriesEnd()}; } ///< in order of insertion
    Iterator end() const { return {entriesEnd(), entriesEnd()}; }
    Id front() const { return *begin(); }                 ///< the oldest member; the set must not be empty
    bool contains(Id id) const { return place(id) >= 0; } ///< O(1)

    /// Adds a member at the end; keeps the position of one that is already present.
    void add(Id id) {
        if (place(id) >= 0) return;
        ++m_count;
        if (!m_many && m_few[kFew - 1] != kHole) makeRoom();
        if (!m_many) {
            std::size_t end = kFew;
            while (end > 0 && m_few[end - 1] == kHole) --end;
            m_few[end] = id;
            return;
        }
        m_many->entries.push_back(id);
        if (m_many->index) {
            m_many->index->emplace(static_cast<std::uint32_t>(id), m_many->entries.size() - 1);
        } else if (m_many->entries.size() > kIndexFrom) {
            compact();
        }
    }

    /// Removes a member if it is present. May invalidate iterators.
    void remove(Id id) {
        const auto at = place(id);
        if (at < 0) return;
        --m_count;
        if (!m_many) {
            m_few[static_cast<std::size_t>(at)] = kHole;
            return;
        }
        m_many->entries[static_cast<std::size_t>(at)] = kHole;
        if (m_many->index) m_many->index->erase(static_cast<std::uint32_t>(id));
        if (m_many->entries.size() > 8 && m_count * 2 < m_many->entries.size()) compact();
    }

private:
    /// Storage for more than kFew members, kept when the set shrinks again.
    struct Many {
        std::vector<Id> entries;
        std::unique_ptr<std::unordered_map<std::uint32_t, std::size_t>> index;
    };

    const Id* entries() const { return m_many ? m_many->entries.data() : m_few.data(); }
    const Id* entriesEnd() const { return entries() + (m_many ? m_many->entries.size() : kFew); }
    void swap(OrderedIdSet& other) noexcept {
        std::swap(m_few, other.m_few);
        std::swap(m_count, other.m_count);
        std::swap(m_many, other.m_many);
    }

    /// Closes holes in `m_few`, or moves the members to `m_many`.
    void makeRoom() {
        std::stable_partition(m_few.begin(), m_few.end(), [](Id id) { return id != kHole; });
        if (m_few[kFew - 1] == kHole) return;
        m_many = std::make_unique<Many>();
        m_many->entries.reserve(2 * kFew);
        m_many->entries.assign(m_few.begin(), m_few.end());
    }

    std::ptrdiff_t place(Id id) const {
        if (id == kHole) return -1;
        if (m_many && m_many->index) {
            const auto found = m_many->index->find(static_cast<std::uint32_t>(id));
            return found == m_many->index->end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
        }
        const Id *from = entries(), *to = entriesEnd();
        const Id* found = std::find(from, to, id);
        return found == to ? -1 : found - from;
    }
    void compact() {
        std::erase(m_many->entries, kHole);
        reindex();
    }
    void reindex() {
        auto& [entries, index] = *m_many;
        index.reset();
        if (entries.size() <= kIndexFrom) return;
        index = std::make_unique<std::unordered_map<std::uint32_t, std::size_t>>();
        index->reserve(entries.size() * 2);
        for (std::size_t i = 0; i < entries.size(); ++i) index->emplace(static_cast<std::uint32_t>(entries[i]), i);
    }

    std::array<Id, kFew> m_few; ///< kHole marks a free entry
    std::uint32_t m_count = 0;
    std::unique_ptr<Many> m_many;
};

} // namespace fx
