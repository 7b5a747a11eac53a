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
inline constexpr double kMarkSize = 14;

/// The small drawing that stands for a family on cards, one pen wide; empty for those without one.
std::span<const MarkLine> markOf(ops::Family family);
/// Whether a mark stands before what the node does.
inline bool hasMark(const NodeItem& node) { return !markOf(node.family).empty(); }

} // namespace fx
