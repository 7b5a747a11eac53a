// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstdint>
#include <vector>

namespace fx {

/// Stands for a missing index.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
/// The greatest number of ranks that an edge spans. Longer edges are drawn as stubs, without reserved space.
inline constexpr std::uint32_t kMaxSpan = 40;

/// One level of the hierarchy as an abstract graph: the input of the layered engine.
///
/// Items are boxes (nodes or groups) and the ports at the border of the level, through which edges enter and leave.
/// They are numbered topologically: in-ports, boxes, out-ports. Every edge goes from a lower to a higher number, so
/// there are no cycles. Sizes are ignored, so the result is independent of which groups are open.
struct LevelGraph {
    enum class Kind : std::uint8_t { InPort, Box, OutPort };
    struct Edge {
        std::uint32_t from = 0, to = 0;
        bool drawn = true; ///< if false, the edge only keeps `to` below `from`
        auto operator<=>(const Edge&) const = default;
    };
    std::vector<Kind> kinds; ///< by item
    std::vector<Edge> edges; ///< sorted, without duplicates

    std::size_t size() const { return kinds.size(); }
    bool operator==(const LevelGraph&) const = default;
};

/// The greatest number of boxes in a rank; larger ranks are split.
inline constexpr std::uint32_t kMaxRankBoxes = 16;
/// Returns the rank of every item. `to` is at least one rank below `from`; edges are few and short. The first and the
/// last rank contain only ports. Ranks are dense from 0. O(items + edges).
std::vector<std::uint32_t> rankLevel(const LevelGraph& graph);

/// A cell of a rank: an item, or a segment of the lane of an item on the path to lower ranks.
struct Cell {
    std::uint32_t item = 0; ///< item that the cell shows or leads to
    std::uint32_t rank = 0;
    bool lane = false; ///< a segment of a lane
};

/// Two cells of neighbouring ranks that an edge connects.
struct Link {
    std::uint32_t upper = 0, lower = 0; ///< cells of neighbouring ranks
};

/// A level with ranks and orders. Cell i is item i; lanes follow.
///
/// All edges of an item share one lane (a chain of cells, one per rank), so there are at most kMaxSpan lane cells per
/// item.
struct LevelOrder {
    std::vector<std::uint32_t> rank;                ///< by item
    std::vector<std::uint32_t> firstLane;           ///< by item: its lane cell in the rank below it, or kNone
    std::vector<Cell> cells;                        ///< items, then lanes
    std::vector<std::vector<std::uint32_t>> layers; ///< cells by rank, left to right
    std::vector<Link> links;                        ///< sorted by upper cell
    std::uint64_t crossings = 0;                    ///< number of crossings

    /// Returns the number of ranks between two items.
    std::uint32_t span(std::uint32_t from, std::uint32_t to) const { return rank[to] - rank[from]; }
    /// Returns true if the edge is drawn as a stub.
    bool isStub(std::uint32_t from, std::uint32_t to) const { return span(from, to) > kMaxSpan; }
    /// Returns the cell that leads into `to` from `from`: `from` itself or the last segment of its lane.
    std::uint32_t lastBefore(std::uint32_t from, std::uint32_t to) const {
        return span(from, to) == 1 ? from : firstLane[from] + span(from, to) - 2;
    }
};

/// Ranks the level and orders every rank to minimise crossings: barycentre sweeps until there is no improvement, then
/// swaps of neighbours (Sugiyama, Tagawa, Toda 1981; Gansner et al. 1993). Near linear; deterministic.
LevelOrder orderLevel(const LevelGraph& graph, const Progress& progress = {});

/// The order of a whole level. Unconnected parts are ordered separately and packed later.
struct LevelPlan {
    /// A connected part of a level.
    struct Part {
        std::vector<std::uint32_t> items; ///< indices in the level, ascending
        LevelGraph graph;                 ///< the edges within the part
        LevelOrder order;                 ///< its ranks and orders
    };
    std::vector<Part> parts;                    ///< the largest first; it contains all ports
    std::vector<std::uint32_t> partOf, placeIn; ///< by item of the level: its part, and its index there

    /// Returns true if the edge is drawn as a stub.
    bool isStub(std::uint32_t from, std::uint32_t to) const {
        return parts[partOf[from]].order.isStub(placeIn[from], placeIn[to]);
    }
};
/// Splits a level into parts and orders each.
LevelPlan planLevel(const LevelGraph& graph, const Progress& progress = {});

} // namespace fx
