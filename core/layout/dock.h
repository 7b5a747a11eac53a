// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/placement.h"

namespace fx {

/// The items beside a box: copies of hubs and labels of incoming stubs (heads), and labels of outgoing stubs (tails).
/// They are stacked, so they take length and not width:
///
///     ┌mask┐┐             ┌mask┐
///     ┌pos─┐├─┌box──┐─→ relu_7     top-down     ├┌pos─┐   left-right: heads above the box,
///     ┌bias┐┘ └─────┘                           ┌box────┐ tails below
struct Dock {
    std::uint32_t heads = 0, tails = 0;
    double headWidth = 0, tailWidth = 0;
    bool operator==(const Dock&) const = default;
};

/// A box and its dock as one item of a level.
struct DockedBox {
    double width = 0, height = 0; ///< of the box itself, on the screen
    Dock dock;                    ///< size of the box itself, on the screen
    bool operator==(const DockedBox&) const = default;

    /// Returns the shape of the item, including the dock.
    BoxShape shape(Direction direction) const;
    /// Returns the rectangle of the box if the item is at `at` (anchor across the flow, start along it) in a level with
    /// origin (0, 0).
    Rect boxAt(Point at, Direction direction) const;
    /// Returns the screen rectangles of the heads or tails for the box at `box`.
    std::vector<Rect> slots(const Rect& box, bool heads, Direction direction) const;
    /// Returns the line from a slot to the box, or from the box to a slot.
    std::vector<Point> line(const Rect& box, const Rect& slot, bool head, Direction direction) const;
};

} // namespace fx
