// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/level_graph.h"

namespace fx {

/// The extent of a cell on both sides of its anchor, across the flow.
struct Extent {
    double left = 0, right = 0; ///< distances from the anchor
};

/// The attachment points of a link, relative to the anchors of its two cells.
struct LinkOffset {
    double upper = 0, lower = 0; ///< at the upper cell, and at the lower cell
};

/// Returns the position of the anchor of every cell across the flow. Cells of a rank keep their order and a gap. Links
/// are straight where possible, lanes always, and branches are symmetric. Positions start at 0.
///
/// Brandes and Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001), with sizes and ports as in Rüegg et al.
/// (2015): four alignments (up/down, left/right), each compacted over the graph of its blocks, then the mean of the two
/// medians. Linear; `links` corresponds to `order.links`.
std::vector<double> assignCross(const LevelOrder& order, const std::vector<Extent>& cells,
                                const std::vector<LinkOffset>& links, const Progress& progress = {});

} // namespace fx
