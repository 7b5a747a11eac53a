// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/level_graph.h"

#include <algorithm>
#include <numeric>

namespace fx {

namespace {

constexpr int kMaxSweeps = 12;
constexpr int kSweepsWithoutGain = 3;
constexpr int kMaxExchangeRounds = 6;
constexpr std::size_t kMaxCellsToExchange = 6000;
constexpr std::size_t kMaxLinksPerCellToExchange = 4;

/// Counts inversions: a Fenwick tree over the positions of one rank.
class InversionCounter {
public:
    void reset(std::size_t size) { m_tree.assign(size + 1, 0), m_total = 0; }
    /// How many positions entered so far are greater than `position`; enters it.
    std::uint64_t enter(std::uint32_t position) {
        std::uint64_t before = 0;
        for (auto i = position + 1; i > 0; i &= i - 1) before += m_tree[i];
        for (auto i = position + 1; i < m_tree.size(); i += i & (~i + 1)) ++m_tree[i];
        return m_total++ - before;
    }

private:
    std::vector<std::uint32_t> m_tree;
    std::uint64_t m_total = 0;
};

/// The state of crossing reduction: the order being improved and the neighbours of every cell.
class Orderer {
public:
    Orderer(LevelOrder& order, const Progress& progress) : m_order(order), m_progress(progress) {
        const auto cells = order.cells.size();
        m_position.resize(cells);
        m_up.offset.assign(cells + 1, 0);
        m_down.offset.assign(cells + 1, 0);
        for (const auto& link : order.links) ++m_up.offset[link.lower + 1], ++m_down.offset[link.upper + 1];
        std::partial_sum(m_up.offset.begin(), m_up.offset.end(), m_up.offset.begin());
        std::partial_sum(m_down.offset.begin(), m_down.offset.end(), m_down.offset.begin());
        m_up.other.resize(order.links.size());
        m_down.other.resize(order.links.size());
        auto up = m_up.offset, down = m_down.offset;
        for (const auto& link : order.links) {
            m_up.other[up[link.lower]++] = link.upper;
            m_down.other[down[link.upper]++] = link.lower;
        }
    }

    void run() {
        initialOrder();
        auto best = m_order.layers;
        m_order.crossings = countCrossings();
        int idle = 0;
        for (int sweep = 0; sweep < kMaxSweeps && idle < kSweepsWithoutGain && m_order.crossings > 0; ++sweep) {
            sweepOnce(sweep % 2 == 0);
            const auto crossings = countCrossings();
            idle = crossings < m_order.crossings ? 0 : idle + 1;
            if (idle == 0) best = m_order.layers, m_order.crossings = crossings;
        }
        m_order.layers = std::move(best);
        renumberAll();
        const auto cells = m_order.cells.size();
        const bool sparse = m_order.links.size() <= kMaxLinksPerCellToExchange * cells;
        if (m_order.crossings > 0 && sparse && cells <= kMaxCellsToExchange) exchangeNeighbours();
    }

private:
    struct Adjacency {
        std::vector<std::uint32_t> offset, other;
        const std::uint32_t* begin(std::uint32_t cell) const { return other.data() + offset[cell]; }
        const std::uint32_t* end(std::uint32_t cell) const { return other.data() + offset[cell + 1]; }
    };

    /// Cells enter their ranks depth first along the edges, boxes before lanes: trees are planar at once, and a lane
    /// starts on the right of what it passes.
    void initialOrder() {
        for (auto& layer : m_order.layers) layer.clear();
        std::vector<bool> seen(m_order.cells.size(), false);
        std::vector<std::uint32_t> stack;
        for (std::uint32_t start = 0; start < m_order.rank.size(); ++start) {
            stack.push_back(start);
            while (!stack.empty()) {
                const auto cell = stack.back();
                stack.pop_back();
                if (seen[cell]) continue;
                seen[cell] = true;
                m_order.layers[m_order.cells[cell].rank].push_back(cell);
                for (auto other = m_down.end(cell); other != m_down.begin(cell);)
                    if (!seen[*--other]) stack.push_back(*other);
            }
        }
        renumberAll();
    }

    void renumber(const std::vector<std::uint32_t>& layer) {
        for (std::uint32_t i = 0; i < layer.size(); ++i) m_position[layer[i]] = i;
    }
    void renumberAll() {
        for (const auto& layer : m_order.layers) renumber(layer);
    }

    void sweepOnce(bool down) {
        const auto count = m_order.layers.size();
        for (std::size_t i = 1; i < count; ++i) {
            if (i % 16 == 0) m_progress.check();
            sortByBarycentre(m_order.layers[down ? i : count - 1 - i], down ? m_up : m_down);
        }
    }

    void sortByBarycentre(std::vector<std::uint32_t>& layer, const Adjacency& near) {
        m_keys.clear();
        for (const auto cell : layer) {
            double sum = 0;
            for (auto other = near.begin(cell); other != near.end(cell); ++other) sum += m_position[*other];
            const auto count = near.end(cell) - near.begin(cell);
            m_keys.emplace_back(count == 0 ? -1 : sum / static_cast<double>(count), cell);
        }
        // Cells without neighbours on that side keep their place among the others.
        double last = 0;
        for (auto& [key, cell] : m_keys) last = key = key < 0 ? last : key;
        std::stable_sort(m_keys.begin(), m_keys.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < layer.size(); ++i) layer[i] = m_keys[i].second;
        renumber(layer);
    }

    std::uint64_t countCrossings() {
        std::uint64_t crossings = 0;
        for (std::size_t r = 0; r + 1 < m_order.layers.size(); ++r) {
            if (r % 16 == 0) m_progress.check();
            m_counter.reset(m_order.layers[r + 1].size());
            for (const auto cell : m_order.layers[r]) {
                m_places.clear();
                for (auto other = m_down.begin(cell); other != m_down.end(cell); ++other)
                    m_places.push_back(m_position[*other]);
                std::sort(m_places.begin(), m_places.end()); // links of one cell do not cross each other
                for (const auto place : m_places) crossings += m_counter.enter(place);
            }
        }
        return crossings;
    }

    /// Crossings between the links of `left` and `right` (in this order) to the cells of one neighbouring rank.
    std::uint64_t pairCrossings(const Adjacency& near, std::uint32_t left, std::uint32_t right) const {
        std::uint64_t crossings = 0;
        for (auto a = near.begin(left); a != near.end(left); ++a)
            for (auto b = near.begin(right); b != near.end(right); ++b)
                crossings += m_position[*a] > m_position[*b] ? 1 : 0;
        return crossings;
    }

    void exchangeNeighbours() {
        for (int round = 0; round < kMaxExchangeRounds; ++round) {
            std::uint64_t gained = 0;
            for (auto& layer : m_order.layers) {
                m_progress.check();
                for (std::size_t i = 0; i + 1 < layer.size(); ++i) gained += exchange(layer, i);
            }
            m_order.crossings -= gained;
            if (gained == 0) break;
        }
    }

    std::uint64_t exchange(std::vector<std::uint32_t>& layer, std::size_t i) {
        const auto left = layer[i], right = layer[i + 1];
        const auto now = pairCrossings(m_up, left, right) + pairCrossings(m_down, left, right);
        if (now == 0) return 0;
        const auto then = pairCrossings(m_up, right, left) + pairCrossings(m_down, right, left);
        if (then >= now) return 0;
        std::swap(layer[i], layer[i + 1]);
        std::swap(m_position[left], m_position[right]);
        return now - then;
    }

    LevelOrder& m_order;
    const Progress& m_progress;
    Adjacency m_up, m_down;
    std::vector<std::uint32_t> m_position;
    std::vector<std::pair<double, std::uint32_t>> m_keys;
    std::vector<std::uint32_t> m_places;
    InversionCounter m_counter;
};

/// Makes the cells: one per item, and a lane below every item that has edges over more than one rank.
void makeCells(const LevelGraph& graph, LevelOrder& order) {
    const auto size = static_cast<std::uint32_t>(graph.size());
    std::vector<std::uint32_t> reach(size, 0);
    for (const auto& edge : graph.edges)
        if (edge.drawn && !order.isStub(edge.from, edge.to))
            reach[edge.from] = std::max(reach[edge.from], order.span(edge.from, edge.to));
    std::uint32_t ranks = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        order.cells.push_back({i, order.rank[i], false});
        ranks = std::max(ranks, order.rank[i] + 1);
    }
    order.layers.resize(ranks);
    order.firstLane.assign(size, kNone);
    for (std::uint32_t i = 0; i < size; ++i)
        for (std::uint32_t k = 1; k < reach[i]; ++k) {
            if (k == 1) order.firstLane[i] = static_cast<std::uint32_t>(order.cells.size());
            order.cells.push_back({i, order.rank[i] + k, true});
        }
}

void makeLinks(const LevelGraph& graph, LevelOrder& order) {
    for (const auto& edge : graph.edges)
        if (edge.drawn && !order.isStub(edge.from, edge.to))
            order.links.push_back({order.lastBefore(edge.from, edge.to), edge.to});
    for (std::uint32_t cell = 0; cell < order.cells.size(); ++cell) {
        if (!order.cells[cell].lane) continue;
        const auto item = order.cells[cell].item;
        order.links.push_back({cell == order.firstLane[item] ? item : cell - 1, cell});
    }
    std::sort(order.links.begin(), order.links.end(),
              [](const Link& a, const Link& b) { return a.upper != b.upper ? a.upper < b.upper : a.lower < b.lower; });
}

} // namespace

LevelOrder orderLevel(const LevelGraph& graph, const Progress& progress) {
    LevelOrder order;
    order.rank = rankLevel(graph);
    makeCells(graph, order);
    makeLinks(graph, order);
    Orderer(order, progress).run();
    return order;
}

} // namespace fx
