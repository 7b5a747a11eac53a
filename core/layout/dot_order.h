// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/level_graph.h"

#include <chrono>
#include <optional>

namespace fx {

/// Levels that `dot` is asked about: its time explodes with long edges, not with the number of nodes.
inline constexpr std::size_t kDotMaxItems = 150, kDotMaxSpan = 600;

/// The same level with the ranks ordered by Graphviz `dot`, if that has fewer crossings and comes within `limit`.
///
/// Ranks, lanes and places stay ours: dot gets one node a cell with its rank fixed and only its left-to-right order is
/// taken, so the picture keeps its promises (no overlaps, edges around boxes) whatever dot answers.
std::optional<LevelOrder> orderByDot(const LevelOrder& order, std::chrono::milliseconds limit,
                                     const Progress& progress = {});

/// How many pairs of links between neighbouring ranks cross. For small levels: quadratic in the links of a rank.
std::uint64_t countCrossings(const LevelOrder& order);

} // namespace fx
