// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstdint>
#include <vector>

namespace fx {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
/// Edges that span more ranks than this are drawn as stubs: no way is kept free for them.
inline constexpr std::uint32_t kMaxSpan = 40;

/// One level of the hierarchy as an abstract graph: what the layered engine ranks and orders.
///
/// Items are boxes (nodes or groups) and the ports at the border of the level, through which edges come in from and
/// leave for the levels around it. They are numbered topologically: in-ports, then boxes, then out-ports, and every
/// edge goes from a lower to a higher number; so there is no cycle. Sizes play no part here, therefore the result
/// holds whatever is open or closed.
struct LevelGraph {
    enum class Kind : std::uint8_t { InPort, Box, OutPort };
    struct Edge {
        std::uint32_t from = 0, to = 0;
        bool drawn = true; ///< false: only keeps `to` below `from`
        auto operator<=>(const Edge&) const = default;
    };
    std::vector<Kind> kinds;
    std::vector<Edge> edges; ///< sorted, each pair once

    std::size_t size() const { return kinds.size(); }
    bool operator==(const LevelGraph&) const = default;
};

/// The rank of every item: `to` at least one below `from`, few and short edges. Ports have the first and the last rank
/// for themselves; ranks of more than kMaxRankBoxes boxes are cut into several. Dense from 0. O(items + edges).
inline constexpr std::uint32_t kMaxRankBoxes = 16;
std::vector<std::uint32_t> rankLevel(const LevelGraph& graph);

/// What stands in a rank: an item, or a piece of the lane of an item that passes by on the way to lower ranks.
struct Cell {
    std::uint32_t item = 0;
    std::uint32_t rank = 0;
    bool lane = false;
};

/// Two cells of neighbouring ranks that an edge connects.
struct Link {
    std::uint32_t upper = 0, lower = 0;
};

/// A level ranked and ordered. Cell i is item i; lanes follow.
///
/// All edges of an item share one lane (a chain of cells, one a rank), so there are at most kMaxSpan lane cells an
/// item.
struct LevelOrder {
    std::vector<std::uint32_t> rank;      ///< per item
    std::vector<std::uint32_t> firstLane; ///< per item: its lane cell in the rank below it, or kNone
    std::vector<Cell> cells;
    std::vector<std::vector<std::uint32_t>> layers; ///< cells per rank, left to right
    std::vector<Link> links;                        ///< sorted by upper cell
    std::uint64_t crossings = 0;

    std::uint32_t span(std::uint32_t from, std::uint32_t to) const { return rank[to] - rank[from]; }
    bool isStub(std::uint32_t from, std::uint32_t to) const { return span(from, to) > kMaxSpan; }
    /// The cell that leads into `to`, coming from `from`: `from` itself or the last piece of its lane.
    std::uint32_t lastBefore(std::uint32_t from, std::uint32_t to) const {
        return span(from, to) == 1 ? from : firstLane[from] + span(from, to) - 2;
    }
};

/// Ranks the level and orders every rank so that few edges cross: barycentre sweeps that stop when they gain nothing,
/// then exchanges of neighbours (Sugiyama, Tagawa, Toda 1981; Gansner et al. 1993). Near linear; deterministic.
LevelOrder orderLevel(const LevelGraph& graph, const Progress& progress = {});

/// The order of a whole level: parts without edges between them are ordered alone, to be packed later.
struct LevelPlan {
    struct Part {
        std::vector<std::uint32_t> items; ///< numbers in the level, ascending
        LevelGraph graph;
        LevelOrder order;
    };
    std::vector<Part> parts;                    ///< the largest first; all ports belong to it
    std::vector<std::uint32_t> partOf, placeIn; ///< per item of the level

    bool isStub(std::uint32_t from, std::uint32_t to) const {
        return parts[partOf[from]].order.isStub(placeIn[from], placeIn[to]);
    }
};
LevelPlan planLevel(const LevelGraph& graph, const Progress& progress = {});

} // namespace fx
