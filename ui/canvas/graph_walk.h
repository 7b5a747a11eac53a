// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/scene/scene.h"

#include <functional>

namespace ui {

/// Keyboard navigation from an item: along edges to inputs and users, across to siblings, to the ends. Functions return
/// kNoItem if there is nothing in that direction.
namespace walk {

enum class Way { Input, User, Before, After };

/// Input: the first input (of a hub's copy: the hub itself). User: the first user, of an open group its first content.
/// Before and After: the next item across, among the users of the same inputs and the inputs of the same users.
ItemIndex next(const Scene& scene, ItemIndex from, Way way);
/// The topmost (leftmost) or last item that is not an open group.
ItemIndex first(const Scene& scene);
ItemIndex last(const Scene& scene);
/// The starting item near the middle of the visible area, among those accepted by `accepts`, if given.
ItemIndex nearest(const Scene& scene, fx::Point point, const fx::Rect& within,
                  const std::function<bool(ItemIndex)>& accepts = {});

} // namespace walk
} // namespace ui
