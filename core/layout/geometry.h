// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/shown.h"

namespace fx {

inline constexpr double kCopyPadding = 8; ///< left and right of the title of a copy

/// The indices of items in the nodes or groups of a Picture; kNone if not visible.
struct ItemIndexes {
    std::vector<std::uint32_t> node;  ///< by node id
    std::vector<std::uint32_t> group; ///< by group of the hierarchy
    std::vector<std::uint32_t> copy;  ///< by copy
};

/// Places all open groups, inner ones first; groups with the same geometry are placed once. Uses the texts of
/// `picture`, not its rectangles. The result has one entry per group of the hierarchy, which is null unless the group
/// is open.
std::vector<std::shared_ptr<const GroupGeometry>> placeGroups(const Hierarchy& hierarchy, const Shown& shown,
                                                              const Picture& picture, const ItemIndexes& items,
                                                              LayoutCache& cache, const LayoutOptions& options,
                                                              const Progress& progress);

} // namespace fx
