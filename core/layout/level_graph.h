// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstdint>
#include <vector>

namespace fx {

inline constexpr std::uint32_t kNone = 0xFFFFFFFFu;
/// Edges that span more ranks are drawn as stubs: no space is reserved for them.
inline constexpr std::uint32_t kMaxSpan = 40;

/// One level of the hierarchy as an abstract graph: the input of the layered engine.
///
/// Items are boxes (nodes or groups) and the ports at the border of the level, through which edges enter and leave.
/// They are numbered topologically: in-ports, then boxes, then out-ports. Every edge goes from a lower to a higher
/// number, so there is no cycle. Sizes are ignored, so the result is independent of which groups are open.
struct LevelGraph {
    enum class Kind : std::uint8_t { InPort, Box, OutPort };
    struct Edge {
        std::uint32_t from = 0, to = 0;
        bool drawn = true; ///< if false, the edge only keeps `to` below `from`
        auto operator<=>(const Edge&) const = default;
    };
    std::vector<Kind> kinds;
    std::vector<Edge> edges; ///< sorted, each pair once

    std::size_t size() const { return kinds.size(); }
    bool operator==(const LevelGraph&) const = default;
};

/// The rank of every item: `to` at least one below `from`, few and short edges. The first and the last rank contain
/// only ports; ranks with more than kMaxRankBoxes boxes are split. Dense from 0. O(items + edges).
inline constexpr std::uint32_t kMaxRankBoxes = 16;
std::vector<std::uint32_t> rankLevel(const LevelGraph& graph);

/// A cell of a rank: an item, or a segment of the lane of an item on the path to lower ranks.
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
/// All edges of an item share one lane (a chain of cells, one per rank), so there are at most kMaxSpan lane cells per
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
    /// The cell that leads into `to`, coming from `from`: `from` itself or the last segment of its lane.
    std::uint32_t lastBefore(std::uint32_t from, std::uint32_t to) const {
        return span(from, to) == 1 ? from : firstLane[from] + span(from, to) - 2;
    }
};

/// Ranks the level and orders every rank so that few edges cross: barycentre sweeps until there is no improvement, then
/// swaps of neighbours (Sugiyama, Tagawa, Toda 1981; Gansner et al. 1993). Near linear; deterministic.
LevelOrder orderLevel(const LevelGraph& graph, const Progress& progress = {});

/// The order of a whole level: unconnected parts are ordered separately and packed later.
struct LevelPlan {
    struct Part {
        std::vector<std::uint32_t> items; ///< indices in the level, ascending
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
