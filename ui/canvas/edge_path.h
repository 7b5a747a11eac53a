// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <QPainterPath>

#include <span>

namespace ui {

/// Appends the curve through `points` to `path`, in segments as intended by the layout (fx::curveBetween), so that it
/// avoids boxes. Skips segments outside `clip`.
void appendCurve(QPainterPath& path, std::span<const QPointF> points, fx::Direction direction, const QRectF& clip);

/// Returns the distance from `at` to the same curve, in the units of the points; infinite if it is more than 50.
double distanceToCurve(QPointF at, std::span<const QPointF> points, fx::Direction direction);

} // namespace ui
