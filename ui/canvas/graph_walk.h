// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/scene/scene.h"

#include <functional>

namespace ui {

/// Keyboard navigation from an item: along edges to inputs and users, across to siblings, to the ends. Functions return
/// kNoItem if there is nothing in that direction.
namespace walk {

/// Directions of keyboard navigation: along edges to inputs and users, and across to siblings. Functions return kNoItem
/// if there is nothing in that direction.
enum class Way { Input, User, Before, After };

/// Returns the neighbour of an item. Input: the first input (of a hub's copy: the hub itself). User: the first user, or
/// the first content of an open group. Before and After: the next item across, among the users of the same inputs and
/// the inputs of the same users.
ItemIndex next(const Scene& scene, ItemIndex from, Way way);
/// Returns the topmost (leftmost) item that is not an open group.
ItemIndex first(const Scene& scene);
ItemIndex last(const Scene& scene); ///< Returns the lowest (rightmost) item that is not an open group.
/// Returns the item nearest to `point` among those in `within` that `accepts` (if given) accepts, except open groups.
ItemIndex nearest(const Scene& scene, fx::Point point, const fx::Rect& within,
                  const std::function<bool(ItemIndex)>& accepts = {});

} // namespace walk
} // namespace ui
