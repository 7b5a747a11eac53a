// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/changed_part.h"
#include "core/engine/verify/verify.h"

#include <functional>

namespace fx::engine {

/// Calls `visit` for the calls of some nodes, and for all calls of the graphs that they call.
void forEachCall(const GraphModule& model, const std::vector<NodeId>& nodes,
                 const std::function<void(const Node& node, const GraphModule& model)>& visit);

/// Numbers near which what a region computes may change: the ends of a clamp, a threshold, a size of a table. They are
/// the constants of its nodes in either model, and values around each: next to it, twice as large, of the other sign,
/// and between it and the next one.
struct Landmarks {
    std::vector<std::vector<double>> floats; ///< in groups of like magnitude, the largest first
    std::vector<std::int64_t> integers;      ///< sorted
};
Landmarks landmarksOf(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region);

/// Magnitudes of values at which the small constants of what changed count, such as the eps of a norm or of a clamp:
/// well below each, and below its square root, since a variance is compared with it. A few, the largest first.
std::vector<double> smallMagnitudes(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                    const ChangedPart::Region& region);

/// What the calls of a region have to do with sizes, in either model.
struct SizeSense {
    bool any = false;                   ///< a call may do something else for other sizes
    std::vector<std::int64_t> literals; ///< integers that such calls are given
};
SizeSense sizeSenseOf(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region);

/// Whether a call of the region exists to find or replace values that are NaN or infinite.
bool tellsNonFinite(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region);

} // namespace fx::engine
