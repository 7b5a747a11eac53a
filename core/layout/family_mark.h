// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <span>

namespace fx {

/// A line of a mark, in a square of 14 × 14.
struct MarkLine {
    std::vector<Point> points;
    bool closed = false;
};
/// The width and height of a mark.
inline constexpr double kMarkSize = 14;

/// Returns the drawing that represents a family on cards, with lines of one pen width; empty for families without one.
std::span<const MarkLine> markOf(ops::Family family);
/// Returns true if the card of the node has a mark before its operation.
inline bool hasMark(const NodeItem& node) { return !markOf(node.family).empty(); }

} // namespace fx
