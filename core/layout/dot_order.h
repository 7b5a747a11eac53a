// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/level_graph.h"

#include <chrono>
#include <optional>

namespace fx {

/// The limits for levels passed to `dot`: its run time explodes with long edges, not with the number of nodes.
inline constexpr std::size_t kDotMaxItems = 150, kDotMaxSpan = 600;

/// Returns the level with its ranks ordered by Graphviz `dot`, if this reduces crossings and finishes within `limit`.
///
/// Ranks, lanes and positions are not taken from dot. It gets one node per cell with a fixed rank, and only its
/// left-to-right order is used. The picture therefore keeps its guarantees (no overlaps, edges around boxes) whatever
/// dot returns.
std::optional<LevelOrder> orderByDot(const LevelOrder& order, std::chrono::milliseconds limit,
                                     const Progress& progress = {});

/// Returns the number of crossing pairs of links between neighbouring ranks. Quadratic in the links of a rank, so only
/// for small levels.
std::uint64_t countCrossings(const LevelOrder& order);

} // namespace fx
