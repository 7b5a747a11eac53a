// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <QPainterPath>

#include <span>

namespace ui {

/// Appends the curve through `points` to `path`, piece by piece as the layout means it (fx::curveBetween), so that it
/// keeps clear of what it was routed around. Pieces outside `clip` are left out.
void appendCurve(QPainterPath& path, std::span<const QPointF> points, fx::Direction direction, const QRectF& clip);

/// Distance from `at` to that curve, in the units of the points; infinite when it is farther than 50.
double distanceToCurve(QPointF at, std::span<const QPointF> points, fx::Direction direction);

} // namespace ui
