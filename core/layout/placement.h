// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/coordinates.h"
#include "core/layout/picture.h"

namespace fx {

/// The shape of an item of a level. Sizes are along and across the flow, so that one engine serves both directions.
struct BoxShape {
    Extent cross;                          ///< the whole item around its anchor, including docked items
    double length = 0;                     ///< along the flow
    double attach = 0;                     ///< edges arrive and leave within this distance from the anchor
    double start = 0, end = 0;             ///< positions along the flow at which edges arrive and leave
    std::vector<double> inPorts, outPorts; ///< for an open group: positions of its ports relative to the anchor
};

/// A line to be routed through a level. Wires of one item and one out-port share their path as long as possible.
struct Wire {
    std::uint32_t from = 0, to = 0; ///< items of the level
    std::uint32_t outPort = kNone;  ///< port of `from`, if that is an open group
    std::uint32_t inPort = kNone;   ///< port of `to`, if that is an open group
    auto operator<=>(const Wire&) const = default;
};

/// A placed level. Points are (across the flow, along the flow), from (0, 0).
struct Placement {
    std::vector<Point> items;              ///< by item: its anchor and start
    std::vector<std::vector<Point>> wires; ///< from border to border
    double cross = 0, flow = 0;            ///< size across and along the flow
};

/// Places a level: every part separately, the smaller ones in columns beside the largest. Boxes are placed as early
/// along the flow as possible, also beside long boxes of earlier ranks. Wires bend only in channels without boxes.
/// `wires` must be sorted and unique, and none may span more than kMaxSpan ranks.
Placement placeLevel(const LevelPlan& plan, const std::vector<BoxShape>& boxes, const std::vector<Wire>& wires,
                     const Progress& progress = {});

/// Places one part of a level.
Placement placePart(const LevelPlan::Part& part, const std::vector<BoxShape>& boxes, const std::vector<Wire>& wires,
                    const Progress& progress = {});

} // namespace fx
