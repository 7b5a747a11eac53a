// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/verify/verify.h"
#include "core/ops/family.h"

#include <functional>

namespace fx::engine {

/// Returns the family of the module or function that a node calls.
ops::Family familyOf(const Node& node, const GraphModule& model);

/// Visits the calls among `nodes`, and all calls of the graphs that they call. Visits each called graph once.
void forEachCall(const GraphModule& model, const std::vector<NodeId>& nodes,
                 const std::function<void(const Node& node, const GraphModule& model)>& visit);

/// Returns the numbers among the arguments and module settings of the calls that `forEachCall` visits; unsorted.
std::vector<double> argumentsOf(const GraphModule& model, const std::vector<NodeId>& nodes);

/// Numbers near which the result of a region may change: the ends of a clamp, a threshold, the size of a table. They
/// derive from the constants of the region's nodes in both models. Each constant adds itself, its close neighbours, its
/// double, its negative, and the midpoint between it and the previous constant.
struct BoundaryNumbers {
    std::vector<std::vector<double>> floats; ///< grouped by magnitude, the largest first; each group costs a run
    std::vector<std::int64_t> integers;      ///< sorted
};
/// Collects the boundary numbers of a region. With too many constants, keeps those that only one model has first.
BoundaryNumbers boundaryNumbersOf(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region);

/// Returns magnitudes of values for which small constants matter, such as the eps of a norm or of a clamp. Looks at the
/// changed nodes of the region only. Each constant adds two: one well below it, and one well below its square root,
/// since a norm compares its eps with a variance. Returns at most five, the largest first.
std::vector<double> smallMagnitudes(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                    const ChangedPart::Region& region);

/// How the calls of a region, in either model, depend on sizes.
struct SizeSense {
    bool any = false;                   ///< the result of a call may depend on the sizes of its inputs
    std::vector<std::int64_t> literals; ///< integer arguments and settings of such calls
};
/// Collects the size-dependent calls of a region. Pointwise calls and calls with weights for each size do not count.
SizeSense sizeSenseOf(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region);

/// True if a call of the region detects or replaces NaN or infinite values.
bool tellsNonFinite(const VerifySide& a, const VerifySide& b, const ChangedPart::Region& region);

} // namespace fx::engine
