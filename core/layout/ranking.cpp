// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/level_graph.h"

#include <algorithm>

namespace fx {

namespace {

/// Edges of a level by one of their ends, as offsets into one array.
struct Neighbours {
    std::vector<std::uint32_t> offset, other;
    std::vector<std::uint32_t> drawn; ///< how many of them are drawn

    Neighbours(const LevelGraph& graph, bool incoming)
        : offset(graph.size() + 1, 0), other(graph.edges.size()), drawn(graph.size(), 0) {
        const auto end = [&](const LevelGraph::Edge& edge, bool near) {
            return near == incoming ? edge.to : edge.from;
        };
        for (const auto& edge : graph.edges) {
            ++offset[end(edge, true) + 1];
            drawn[end(edge, true)] += edge.drawn ? 1 : 0;
        }
        for (std::size_t i = 1; i < offset.size(); ++i) offset[i] += offset[i - 1];
        auto at = offset;
        for (const auto& edge : graph.edges) other[at[end(edge, true)]++] = end(edge, false);
    }
    bool empty(std::uint32_t item) const { return offset[item] == offset[item + 1]; }
    template<class Fold> std::uint32_t fold(std::uint32_t item, std::uint32_t start,
                                            const std::vector<std::uint32_t>& rank, Fold pick) const {
        for (auto i = offset[item]; i < offset[item + 1]; ++i) start = pick(start, rank[other[i]]);
        return start;
    }
};

std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return std::max(a, b); }
std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return std::min(a, b); }

/// Renumbers the ranks that are used, so that they are dense.
void closeGaps(std::vector<std::uint32_t>& rank) {
    if (rank.empty()) return;
    std::vector<std::uint32_t> number(*std::max_element(rank.begin(), rank.end()) + 1, 0);
    for (const auto r : rank) number[r] = 1;
    std::uint32_t next = 0;
    for (auto& n : number) n = n != 0 ? next++ : 0;
    for (auto& r : rank) r = number[r];
}

/// Cuts ranks with too many boxes into rows of equal length, in the order of the items.
void wrapWideRanks(const LevelGraph& graph, std::vector<std::uint32_t>& rank) {
    if (rank.empty()) return;
    const auto ranks = *std::max_element(rank.begin(), rank.end()) + 1;
    std::vector<std::uint32_t> count(ranks, 0), rows(ranks, 1), start(ranks, 0), seen(ranks, 0);
    for (std::size_t i = 0; i < rank.size(); ++i) count[rank[i]] += graph.kinds[i] == LevelGraph::Kind::Box ? 1 : 0;
    for (std::uint32_t r = 0; r < ranks; ++r) {
        rows[r] = std::max(1u, (count[r] + kMaxRankBoxes - 1) / kMaxRankBoxes);
        if (r > 0) start[r] = start[r - 1] + rows[r - 1];
    }
    for (auto& r : rank) r = start[r] + (rows[r] == 1 ? 0 : seen[r]++ * rows[r] / count[r]);
}

} // namespace

// As early as possible first. Then whoever has at least as many ways out as in moves down to its users, bottom up,
// which shortens edges; then whoever has at least as many ways in as out moves up again, top down, which undoes the
// moves that gained nothing. What hangs on a late user alone (a constant, a mask) so ends up beside that user.
std::vector<std::uint32_t> rankLevel(const LevelGraph& graph) {
    const auto size = static_cast<std::uint32_t>(graph.size());
    const Neighbours in(graph, true), out(graph, false);
    const bool ports = size > 0 && graph.kinds[0] == LevelGraph::Kind::InPort;
    std::vector<std::uint32_t> rank(size, ports ? 1 : 0);
    const auto isBox = [&](std::uint32_t i) { return graph.kinds[i] == LevelGraph::Kind::Box; };
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < size; ++i) {
        if (graph.kinds[i] == LevelGraph::Kind::InPort) rank[i] = 0;
        if (!isBox(i)) continue;
        if (!in.empty(i)) rank[i] = std::max(rank[i], in.fold(i, 0, rank, larger) + 1);
        last = std::max(last, rank[i]);
    }
    for (std::uint32_t i = 0; i < size; ++i)
        if (graph.kinds[i] == LevelGraph::Kind::OutPort) rank[i] = last + 1;
    for (std::uint32_t i = size; i-- > 0;)
        if (isBox(i) && !out.empty(i) && out.drawn[i] >= in.drawn[i]) rank[i] = out.fold(i, kNone, rank, smaller) - 1;
    for (std::uint32_t i = 0; i < size; ++i)
        if (isBox(i) && !in.empty(i) && in.drawn[i] >= out.drawn[i]) rank[i] = in.fold(i, 0, rank, larger) + 1;
    closeGaps(rank);
    wrapWideRanks(graph, rank);
    return rank;
}

} // namespace fx
