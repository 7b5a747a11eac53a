// SPDX-License-Identifier: GPL-3.0-or-later
// The order of a graph: a doubly linked list of indices with sparse 64-bit keys, so that "is before" is one comparison.
//
//   root ⇄ a(0) ⇄ b(2^32) ⇄ c(2^33) ⇄ root        insert between a and b: key 2^31, then 2^30, …
//
// When two neighbours have no key between them, the smallest aligned range of keys around them that is sparse enough is
// spread evenly (Bender et al., "Two simplified algorithms for maintaining order in a list", 2002): O(log n) amortised.
#include "core/ir/graph.h"

#include <algorithm>
#include <cassert>

namespace fx {
namespace {
constexpr std::int64_t kGap = std::int64_t{1} << 32;
constexpr double kOverflow = 1.5; ///< how much sparser each larger range has to be
} // namespace

void Graph::link(NodeId id, std::uint32_t prev) {
    const std::uint32_t self = index(id) + 1;
    const std::uint32_t next = m_links[prev].next;
    const std::int64_t key = makeKey(prev, next);
    Link& link = m_links.mut(self);
    link.prev = prev;
    link.next = next;
    link.key = key;
    m_links.mut(prev).next = self;
    m_links.mut(next).prev = self;
    ++m_size;
}

void Graph::unlink(NodeId id) {
    const Link link = m_links[index(id) + 1];
    m_links.mut(link.prev).next = link.next;
    m_links.mut(link.next).prev = link.prev;
    --m_size;
}

std::int64_t Graph::makeKey(std::uint32_t prev, std::uint32_t next) {
    if (prev == 0 && next == 0) return 0;
    if (next == 0) return m_links[prev].key + kGap;
    if (prev == 0) return m_links[next].key - kGap;
    if (m_links[next].key - m_links[prev].key < 2) relabelAround(prev);
    return m_links[prev].key + (m_links[next].key - m_links[prev].key) / 2;
}

void Graph::relabelAround(std::uint32_t link) {
    const auto unsignedKey = [&](std::uint32_t at) {
        return static_cast<std::uint64_t>(m_links[at].key) ^ (1ull << 63);
    };
    const std::uint64_t key = unsignedKey(link);
    std::uint32_t from = link, to = link;
    std::uint64_t count = 1;
    double capacity = 1;
    for (int bits = 1; bits < 64; ++bits) {
        capacity *= 2 / kOverflow;
        const std::uint64_t mask = (1ull << bits) - 1, low = key & ~mask, high = key | mask;
        for (auto at = m_links[from].prev; at != 0 && unsignedKey(at) >= low; at = m_links[at].prev) from = at, ++count;
        for (auto at = m_links[to].next; at != 0 && unsignedKey(at) <= high; at = m_links[at].next) to = at, ++count;
        const std::uint64_t step = mask / (count + 1);
        if (static_cast<double>(count) > capacity || step < 4) continue;
        std::uint64_t label = low;
        for (auto at = from;; at = m_links[at].next) {
            label += step;
            m_links.mut(at).key = static_cast<std::int64_t>(label ^ (1ull << 63));
            if (at == to) return;
        }
    }
    assert(false && "more nodes than keys");
}

GraphDifference Graph::differenceFrom(const Graph& other) const {
    GraphDifference difference;
    CowChunks<Node>::visitUnshared(m_nodes, other.m_nodes,
                                   [&](std::size_t i) { difference.nodes.push_back(static_cast<NodeId>(i)); });
    CowChunks<Link, 256>::visitUnshared(m_links, other.m_links, [&](std::size_t i) {
        if (i == 0) return; // the root
        if (i >= m_links.size() || i >= other.m_links.size() || m_links[i].key != other.m_links[i].key)
            difference.places.push_back(fromLink(static_cast<std::uint32_t>(i)));
    });
    return difference;
}

std::vector<NodeId> Graph::inOrder(std::vector<NodeId> ids) const {
    std::erase_if(ids, [&](NodeId id) { return index(id) >= idLimit() || node(id).erased(); });
    constexpr std::size_t kFew = 16; // sorting n of them takes as long as walking over kFew * n nodes
    if (ids.size() * kFew < m_size) {
        std::sort(ids.begin(), ids.end(), [&](NodeId a, NodeId b) { return isBefore(a, b); });
        ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
        return ids;
    }
    std::vector<bool> wanted(idLimit());
    for (const NodeId id : ids) wanted[index(id)] = true;
    ids.clear();
    for (NodeId id = first(); id != kNoNode; id = next(id))
        if (wanted[index(id)]) ids.push_back(id);
    return ids;
}

void Graph::moveBefore(NodeId id, NodeId anchor) {
    if (id == anchor) return;
    unlink(id);
    link(id, m_links[index(anchor) + 1].prev);
}

void Graph::moveAfter(NodeId id, NodeId anchor) {
    if (id == anchor) return;
    unlink(id);
    link(id, index(anchor) + 1);
}

std::uint32_t Graph::insertAfterLink() const {
    if (m_insert.anchor == kNoNode) return m_insert.side == InsertPoint::Side::Before ? m_links[0].prev : 0;
    const std::uint32_t anchor = index(m_insert.anchor) + 1;
    return m_insert.side == InsertPoint::Side::Before ? m_links[anchor].prev : anchor;
}

} // namespace fx
