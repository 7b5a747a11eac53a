// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/coordinates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace fx {

namespace {

constexpr double kBoxGap = 32;
constexpr double kLaneToBoxGap = 20;
constexpr double kLaneGap = 14;

/// A link as seen from one of its ends.
struct Near {
    std::uint32_t cell = 0, link = 0;
};

/// How many items lie on the longest way from a cell to the first (`up`) or last rank, itself included.
std::vector<std::uint32_t> pathLengths(const LevelOrder& order, const std::vector<std::vector<Near>>& near, bool up) {
    std::vector<std::uint32_t> length(order.cells.size(), 0);
    for (std::size_t i = 0; i < order.layers.size(); ++i)
        for (const auto cell : order.layers[up ? i : order.layers.size() - 1 - i]) {
            for (const auto& n : near[cell]) length[cell] = std::max(length[cell], length[n.cell]);
            length[cell] += order.cells[cell].lane ? 0 : 1;
        }
    return length;
}

/// The links of every cell to one side, in the order of their other ends, reduced to those that an alignment prefers:
/// a lane goes on in a lane, a box stays in line with boxes rather than with lanes, and of two boxes with the one that
/// the longer path goes through. So the main path is straight, and three branches or more lie symmetrically.
struct Adjacency {
    std::vector<std::uint32_t> offset;
    std::vector<Near> near;

    Adjacency(const LevelOrder& order, bool up, const std::vector<std::uint32_t>& position) {
        const auto cells = order.cells.size();
        std::vector<std::vector<Near>> lists(cells);
        for (std::uint32_t i = 0; i < order.links.size(); ++i) {
            const auto& link = order.links[i];
            up ? lists[link.lower].push_back({link.upper, i}) : lists[link.upper].push_back({link.lower, i});
        }
        const auto length = pathLengths(order, lists, up);
        offset.assign(1, 0);
        for (std::uint32_t cell = 0; cell < cells; ++cell) {
            auto& list = lists[cell];
            const bool wanted = order.cells[cell].lane;
            const auto fits = [&](const Near& n) { return order.cells[n.cell].lane == wanted; };
            if (std::any_of(list.begin(), list.end(), fits)) std::erase_if(list, std::not_fn(fits));
            if (list.size() == 2 && length[list[0].cell] != length[list[1].cell])
                list.erase(list.begin() + (length[list[0].cell] < length[list[1].cell] ? 0 : 1));
            std::sort(list.begin(), list.end(),
                      [&](const Near& a, const Near& b) { return position[a.cell] < position[b.cell]; });
            near.insert(near.end(), list.begin(), list.end());
            offset.push_back(static_cast<std::uint32_t>(near.size()));
        }
    }
};

std::vector<std::uint32_t> positionsOf(const LevelOrder& order) {
    std::vector<std::uint32_t> position(order.cells.size());
    for (const auto& layer : order.layers)
        for (std::uint32_t i = 0; i < layer.size(); ++i) position[layer[i]] = i;
    return position;
}

bool isInner(const LevelOrder& order, const Link& link) {
    return order.cells[link.upper].lane && order.cells[link.lower].lane;
}

/// Links that cross a lane: alignments leave them aside, so that lanes stay straight.
std::vector<bool> crossingLanes(const LevelOrder& order, const std::vector<std::uint32_t>& position) {
    std::vector<bool> crossing(order.links.size(), false);
    std::vector<std::vector<std::uint32_t>> incoming(order.cells.size());
    for (std::uint32_t i = 0; i < order.links.size(); ++i) incoming[order.links[i].lower].push_back(i);
    for (std::size_t r = 0; r + 1 < order.layers.size(); ++r) {
        const auto& lower = order.layers[r + 1];
        std::uint32_t from = 0, left = 0;
        for (std::uint32_t i = 0; i < lower.size(); ++i) {
            std::uint32_t right = i + 1 == lower.size() ? kNone : 0;
            for (const auto link : incoming[lower[i]])
                if (isInner(order, order.links[link])) right = position[order.links[link].upper];
            const bool boundary = i + 1 == lower.size() || std::any_of(incoming[lower[i]].begin(), incoming[lower[i]].end(), [&](auto link) { return isInner(order, order.links[link]); });
            if (!boundary) continue;
            for (; from <= i; ++from)
                for (const auto link : incoming[lower[from]]) {
                    const auto place = position[order.links[link].upper];
                    if (!isInner(order, order.links[link]) && (place < left || place > right)) crossing[link] = true;
                }
            left = right;
        }
    }
    return crossing;
}

/// One of the four alignments. Mirrored ones see ranks bottom up, or every rank from the right.
class Alignment {
public:
    Alignment(const LevelOrder& order, const std::vector<Extent>& extents, const std::vector<LinkOffset>& offsets,
              const Adjacency& adjacency, const std::vector<bool>& crossing, bool up, bool leftToRight)
        : m_order(order), m_extents(extents), m_offsets(offsets), m_adjacency(adjacency), m_crossing(crossing), m_up(up),
          m_leftToRight(leftToRight), m_layers(order.layers) {
        if (!up) std::reverse(m_layers.begin(), m_layers.end());
        if (!leftToRight)
            for (auto& layer : m_layers) std::reverse(layer.begin(), layer.end());
        m_position.resize(order.cells.size());
        for (const auto& layer : m_layers)
            for (std::uint32_t i = 0; i < layer.size(); ++i) m_position[layer[i]] = i;
    }

    std::vector<double> run() {
        align();
        return compact();
    }

private:
    double offsetOf(std::uint32_t link, bool ownEnd) const {
        const double value = (ownEnd == m_up) ? m_offsets[link].lower : m_offsets[link].upper;
        return m_leftToRight ? value : -value;
    }

    void align() {
        const auto cells = m_order.cells.size();
        m_root.resize(cells);
        std::iota(m_root.begin(), m_root.end(), 0u);
        m_shift.assign(cells, 0);
        std::vector<bool> taken(cells, false);
        for (std::size_t r = 1; r < m_layers.size(); ++r) {
            std::int64_t last = -1;
            for (const auto cell : m_layers[r]) {
                const auto begin = m_adjacency.offset[cell], count = m_adjacency.offset[cell + 1] - begin;
                if (count == 0) continue;
                for (const auto middle : {(count - 1) / 2, count / 2}) {
                    const auto& near = m_adjacency.near[begin + (m_leftToRight ? middle : count - 1 - middle)];
                    if (m_crossing[near.link] || taken[near.cell] || m_position[near.cell] <= last) continue;
                    taken[near.cell] = true;
                    m_root[cell] = m_root[near.cell];
                    m_shift[cell] = m_shift[near.cell] + offsetOf(near.link, false) - offsetOf(near.link, true);
                    last = m_position[near.cell];
                    break;
                }
            }
        }
    }

    double separation(std::uint32_t left, std::uint32_t right) const {
        const auto slim = [&](std::uint32_t cell) {
            const auto& extent = m_extents[cell];
            return m_order.cells[cell].lane || extent.left + extent.right == 0;
        };
        const int slims = (slim(left) ? 1 : 0) + (slim(right) ? 1 : 0);
        const double gap = slims == 0 ? kBoxGap : slims == 1 ? kLaneToBoxGap : kLaneGap;
        return m_leftToRight ? m_extents[left].right + gap + m_extents[right].left
                             : m_extents[left].left + gap + m_extents[right].right;
    }

    /// Blocks as far left as they go, then each as far right as its right neighbours let it.
    std::vector<double> compact() {
        const auto cells = m_order.cells.size();
        struct Arc {
            std::uint32_t from, to;
            double distance;
        };
        std::vector<Arc> arcs;
        std::vector<std::uint32_t> indegree(cells, 0), offset(cells + 1, 0);
        for (const auto& layer : m_layers)
            for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
                const auto u = layer[i], v = layer[i + 1];
                arcs.push_back({m_root[u], m_root[v], separation(u, v) + m_shift[u] - m_shift[v]});
                ++indegree[m_root[v]], ++offset[m_root[u] + 1];
            }
        std::partial_sum(offset.begin(), offset.end(), offset.begin());
        std::vector<std::uint32_t> sorted(arcs.size()), at = offset;
        for (std::uint32_t i = 0; i < arcs.size(); ++i) sorted[at[arcs[i].from]++] = i;

        std::vector<std::uint32_t> blocks;
        for (std::uint32_t c = 0; c < cells; ++c)
            if (m_root[c] == c && indegree[c] == 0) blocks.push_back(c);
        std::vector<double> x(cells, -std::numeric_limits<double>::infinity());
        for (std::uint32_t c = 0; c < cells; ++c) {
            const double left = m_leftToRight ? m_extents[c].left : m_extents[c].right;
            x[m_root[c]] = std::max(x[m_root[c]], left - m_shift[c]);
        }
        for (std::size_t i = 0; i < blocks.size(); ++i)
            for (auto k = offset[blocks[i]]; k < offset[blocks[i] + 1]; ++k) {
                const auto& arc = arcs[sorted[k]];
                x[arc.to] = std::max(x[arc.to], x[arc.from] + arc.distance);
                if (--indegree[arc.to] == 0) blocks.push_back(arc.to);
            }
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
            double room = std::numeric_limits<double>::infinity();
            for (auto k = offset[*block]; k < offset[*block + 1]; ++k)
                room = std::min(room, x[arcs[sorted[k]].to] - arcs[sorted[k]].distance);
            if (room < std::numeric_limits<double>::infinity()) x[*block] = std::max(x[*block], room);
        }
        std::vector<double> result(cells);
        for (std::uint32_t c = 0; c < cells; ++c) {
            const double place = x[m_root[c]] + m_shift[c];
            result[c] = m_leftToRight ? place : -place;
        }
        return result;
    }

    const LevelOrder& m_order;
    const std::vector<Extent>& m_extents;
    const std::vector<LinkOffset>& m_offsets;
    const Adjacency& m_adjacency;
    const std::vector<bool>& m_crossing;
    bool m_up, m_leftToRight;
    std::vector<std::vector<std::uint32_t>> m_layers;
    std::vector<std::uint32_t> m_position, m_root;
    std::vector<double> m_shift;
};

std::pair<double, double> rangeOf(const std::vector<double>& x, const std::vector<Extent>& extents) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < x.size(); ++i) {
        low = std::min(low, x[i] - extents[i].left);
        high = std::max(high, x[i] + extents[i].right);
    }
    return {low, high};
}

} // namespace

std::vector<double> assignCross(const LevelOrder& order, const std::vector<Extent>& cells,
                                const std::vector<LinkOffset>& links, const Progress& progress) {
    if (cells.empty()) return {};
    const auto position = positionsOf(order);
    const auto crossing = crossingLanes(order, position);
    const Adjacency upper(order, true, position), lower(order, false, position);
    std::array<std::vector<double>, 4> results;
    std::array<std::pair<double, double>, 4> ranges;
    std::size_t narrowest = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        progress.check();
        results[k] = Alignment(order, cells, links, k < 2 ? upper : lower, crossing, k < 2, k % 2 == 0).run();
        ranges[k] = rangeOf(results[k], cells);
        if (ranges[k].second - ranges[k].first < ranges[narrowest].second - ranges[narrowest].first) narrowest = k;
    }
    const auto [low, high] = ranges[narrowest];
    for (std::size_t k = 0; k < 4; ++k) {
        const double shift = k % 2 == 0 ? low - ranges[k].first : high - ranges[k].second;
        for (auto& x : results[k]) x += shift;
    }
    std::vector<double> x(cells.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::array<double, 4> places{results[0][i], results[1][i], results[2][i], results[3][i]};
        std::sort(places.begin(), places.end());
        x[i] = (places[1] + places[2]) / 2;
    }
    const double start = rangeOf(x, cells).first;
    for (auto& place : x) place = std::round((place - start) * 4) / 4;
    return x;
}

} // namespace fx
