// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/coordinates.h"
#include "core/layout/picture.h"

namespace fx {

/// The shape of an item of a level. Sizes are along the flow and across it, so one engine serves both directions.
struct BoxShape {
    Extent cross;                          ///< the whole item around its anchor, docked things included
    double length = 0;                     ///< along the flow
    double attach = 0;                     ///< edges arrive and leave within ± this from the anchor
    double start = 0, end = 0;             ///< where along the flow edges arrive and leave
    std::vector<double> inPorts, outPorts; ///< an open group: places of its ports, from the anchor
};

/// A line to be routed through a level. Wires of one item and one out-port share their way as long as they can.
struct Wire {
    std::uint32_t from = 0, to = 0;
    std::uint32_t outPort = kNone; ///< of `from`, when that is an open group
    std::uint32_t inPort = kNone;  ///< of `to`, when that is an open group
    auto operator<=>(const Wire&) const = default;
};

/// A level with places. Points are (across the flow, along the flow), from (0, 0).
struct Placement {
    std::vector<Point> items;              ///< per item: its anchor and where it starts
    std::vector<std::vector<Point>> wires; ///< from border to border
    double cross = 0, flow = 0;
};

/// Places a level: every part alone, the smaller ones in columns beside the largest. Boxes stand as early along the
/// flow as what lies before them allows, also beside long boxes of earlier ranks; wires bend only in channels where no
/// box stands. `wires` are sorted and unique; none leads over more than kMaxSpan ranks.
Placement placeLevel(const LevelPlan& plan, const std::vector<BoxShape>& boxes, const std::vector<Wire>& wires,
                     const Progress& progress = {});

/// Places one part, for itself.
Placement placePart(const LevelPlan::Part& part, const std::vector<BoxShape>& boxes, const std::vector<Wire>& wires,
                    const Progress& progress = {});

} // namespace fx
