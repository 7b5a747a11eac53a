// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/grouping.h"

namespace fx {

/// Assigns groups to the drawn nodes that are not `decided` (by node id) from the groups of their inputs and users, by
/// the rules of `groupNodes`. Also clears the class of modules that torch.fx put in place of modules that are never
/// called. Linear.
void placeCallsBetween(const Graph& graph, Grouping& grouping, const std::vector<bool>& decided,
                       const Progress& progress);

} // namespace fx
