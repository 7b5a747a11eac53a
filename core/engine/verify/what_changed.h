// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

inline constexpr std::size_t kNamedNodes = 3; ///< the number of nodes that a remark lists

/// Returns the names of the nodes that make `exits` differ: nodes whose own call differs, and nodes that only one of
/// the models has. Without such nodes, returns the names of the exits.
std::vector<std::string> whatChanged(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                     const std::vector<ChangedPart::Pair>& exits);

/// Returns the integers that A gives for a setting or parameter of a changed call, or leaves at its default, where B
/// gives another: the -100 of `cross_entropy(x, y)` against `cross_entropy(x, y, ignore_index=-1)`. Sorted, unique.
std::vector<std::int64_t> integersOfA(const VerifySide& a, const VerifySide& b, const ChangedPart& part);

} // namespace fx::engine
