// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

namespace fx {

/// A segment of the curve of an edge: a straight line to `to`, or a cubic Bézier with the control points `c1` and `c2`.
struct CurvePiece {
    bool straight = true;
    Point c1, c2, to; ///< control points of a curve, and the end
};

/// Returns the curve between two neighbouring points of an edge. It leaves and arrives along the flow and stays inside
/// the rectangle that the points span, which is free of boxes.
inline CurvePiece curveBetween(Point from, Point to, Direction direction) {
    const bool down = direction == Direction::TopDown;
    if (from.x == to.x || from.y == to.y) return {true, {}, {}, to};
    const double middleX = (from.x + to.x) / 2, middleY = (from.y + to.y) / 2;
    return {false, down ? Point{from.x, middleY} : Point{middleX, from.y},
            down ? Point{to.x, middleY} : Point{middleX, to.y}, to};
}

} // namespace fx
