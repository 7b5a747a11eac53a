// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/grouping.h"

namespace fx {

/// Gives groups to the drawn nodes that are not `decided` (by node id), as groupNodes says: from the groups of their
/// inputs and users. Also clears the class of modules that torch.fx only put in the place of another. Linear.
void placeCallsBetween(const Graph& graph, Grouping& grouping, const std::vector<bool>& decided,
                       const Progress& progress);

} // namespace fx
