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
constexpr std::uint32_t kCrowded = kMaxRankBoxes / 2;

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

    /// The one cell that an alignment wants `cell` to be in line with, kNone when there are two.
    std::uint32_t preferred(std::uint32_t cell) const {
        const auto count = offset[cell + 1] - offset[cell];
        return count % 2 == 1 ? near[offset[cell] + count / 2].cell : kNone;
    }

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
            const bool boundary =
                i + 1 == lower.size() || std::any_of(incoming[lower[i]].begin(), incoming[lower[i]].end(),
                                                     [&](auto link) { return isInner(order, order.links[link]); });
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

double gapBetween(const LevelOrder& order, const std::vector<Extent>& extents, std::uint32_t a, std::uint32_t b) {
    const auto slim = [&](std::uint32_t cell) {
        return order.cells[cell].lane || extents[cell].left + extents[cell].right == 0;
    };
    const int slims = (slim(a) ? 1 : 0) + (slim(b) ? 1 : 0);
    return slims == 0 ? kBoxGap : slims == 1 ? kLaneToBoxGap : kLaneGap;
}

/// One of the four alignments. Mirrored ones see ranks bottom up, or every rank from the right.
class Alignment {
public:
    Alignment(const LevelOrder& order, const std::vector<Extent>& extents, const std::vector<LinkOffset>& offsets,
              const Adjacency& adjacency, const Adjacency& opposite, const std::vector<bool>& avoided, bool up,
              bool leftToRight)
        : m_order(order), m_extents(extents), m_offsets(offsets), m_adjacency(adjacency), m_opposite(opposite),
          m_avoided(avoided), m_up(up), m_leftToRight(leftToRight), m_layers(order.layers) {
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
                    if (m_avoided[near.link] || taken[near.cell] || m_position[near.cell] <= last) continue;
                    if (isPromised(near.cell, cell)) continue;
                    taken[near.cell] = true;
                    m_root[cell] = m_root[near.cell];
                    m_shift[cell] = m_shift[near.cell] + offsetOf(near.link, false) - offsetOf(near.link, true);
                    last = m_position[near.cell];
                    break;
                }
            }
        }
    }

    /// True if another cell and `near` want to be in line with each other.
    bool isPromised(std::uint32_t near, std::uint32_t cell) const {
        const auto wanted = m_opposite.preferred(near);
        return wanted != kNone && wanted != cell && m_adjacency.preferred(wanted) == near;
    }

    double separation(std::uint32_t left, std::uint32_t right) const {
        const double gap = gapBetween(m_order, m_extents, left, right);
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
    const Adjacency &m_adjacency, &m_opposite;
    const std::vector<bool>& m_avoided;
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

/// Last touch: what hangs together by straight links and has a single bent one moves to straighten that one too, when
/// there is room. (An alignment straightens one link a side; ports side by side can all be straight.)
class Straightener {
public:
    Straightener(const LevelOrder& order, const std::vector<Extent>& extents, const std::vector<LinkOffset>& offsets,
                 std::vector<double>& x)
        : m_order(order), m_extents(extents), m_offsets(offsets), m_x(x), m_position(positionsOf(order)),
          m_links(x.size()) {
        for (std::uint32_t i = 0; i < order.links.size(); ++i)
            m_links[order.links[i].upper].push_back(i), m_links[order.links[i].lower].push_back(i);
    }

    void run() {
        std::vector<bool> seen(m_x.size(), false);
        for (int round = 0; round < 2; ++round) {
            std::fill(seen.begin(), seen.end(), false);
            for (std::uint32_t cell = 0; cell < m_x.size(); ++cell)
                if (!seen[cell]) tryPart(cell, seen);
        }
    }

private:
    /// How far the upper end is left of the lower end.
    double bend(std::uint32_t link) const {
        const auto& l = m_order.links[link];
        return m_x[l.lower] + m_offsets[link].lower - m_x[l.upper] - m_offsets[link].upper;
    }

    void tryPart(std::uint32_t start, std::vector<bool>& seen) {
        std::vector<std::uint32_t> part{start}, bent;
        seen[start] = true;
        for (std::size_t i = 0; i < part.size(); ++i)
            for (const auto link : m_links[part[i]]) {
                const auto& l = m_order.links[link];
                const auto other = l.upper == part[i] ? l.lower : l.upper;
                if (std::abs(bend(link)) > kStraight) bent.push_back(link);
                else if (!seen[other]) seen[other] = true, part.push_back(other);
            }
        if (bent.size() != 1) return;
        const bool movesUpper = std::find(part.begin(), part.end(), m_order.links[bent[0]].upper) != part.end();
        const double shift = movesUpper ? bend(bent[0]) : -bend(bent[0]);
        std::sort(part.begin(), part.end());
        if (!std::all_of(part.begin(), part.end(), [&](auto cell) { return hasRoom(cell, shift, part); })) return;
        for (const auto cell : part) m_x[cell] += shift;
    }

    bool hasRoom(std::uint32_t cell, double shift, const std::vector<std::uint32_t>& part) const {
        const auto& layer = m_order.layers[m_order.cells[cell].rank];
        const auto place = m_position[cell];
        if (shift > 0 ? place + 1 == layer.size() : place == 0) return true;
        const auto other = shift > 0 ? layer[place + 1] : layer[place - 1];
        if (std::binary_search(part.begin(), part.end(), other)) return true;
        const double gap = gapBetween(m_order, m_extents, cell, other);
        const double room = shift > 0 ? m_x[other] - m_extents[other].left - m_x[cell] - m_extents[cell].right
                                      : m_x[cell] - m_extents[cell].left - m_x[other] - m_extents[other].right;
        return room - gap >= std::abs(shift) - kStraight;
    }

    static constexpr double kStraight = 0.3;
    const LevelOrder& m_order;
    const std::vector<Extent>& m_extents;
    const std::vector<LinkOffset>& m_offsets;
    std::vector<double>& m_x;
    std::vector<std::uint32_t> m_position;
    std::vector<std::vector<std::uint32_t>> m_links; ///< per cell
};

/// Where ranks are crowded, boxes may stand beside the lanes that come from the rank above rather than between them:
/// compactness goes before straight lines.
void loosenCrowdedRanks(const LevelOrder& order, std::vector<bool>& avoided) {
    std::vector<std::uint32_t> boxes(order.layers.size(), 0);
    for (const auto& cell : order.cells) boxes[cell.rank] += cell.lane ? 0 : 1;
    for (std::size_t i = 0; i < order.links.size(); ++i) {
        const auto &upper = order.cells[order.links[i].upper], &lower = order.cells[order.links[i].lower];
        if (!upper.lane && lower.lane && boxes[upper.rank] >= kCrowded && boxes[lower.rank] >= kCrowded)
            avoided[i] = true;
    }
}

} // namespace

std::vector<double> assignCross(const LevelOrder& order, const std::vector<Extent>& cells,
                                const std::vector<LinkOffset>& links, const Progress& progress) {
    if (cells.empty()) return {};
    const auto position = positionsOf(order);
    auto avoided = crossingLanes(order, position);
    loosenCrowdedRanks(order, avoided);
    const Adjacency upper(order, true, position), lower(order, false, position);
    std::array<std::vector<double>, 4> results;
    std::array<std::pair<double, double>, 4> ranges;
    std::size_t narrowest = 0;
    for (std::size_t k = 0; k < 4; ++k) {
        progress.check();
        results[k] =
            Alignment(order, cells, links, k < 2 ? upper : lower, k < 2 ? lower : upper, avoided, k < 2, k % 2 == 0)
                .run();
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
    Straightener(order, cells, links, x).run();
    const double start = rangeOf(x, cells).first;
    for (auto& place : x) place = std::round((place - start) * 4) / 4;
    return x;
}

} // namespace fx
