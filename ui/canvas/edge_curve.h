// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <QPainterPath>

#include <span>

namespace ui {

/// Appends the smooth curve through `points` to `path`: leaves and arrives along the direction of the picture and never
/// swings wider than the points (monotone cubic interpolation, Fritsch and Carlson 1980), so that it keeps clear of
/// what the layout routed it around. Pieces outside `clip` are left out. Where points run backwards the line is
/// straight.
void appendCurve(QPainterPath& path, std::span<const QPointF> points, fx::Direction direction, const QRectF& clip);

/// Distance from `at` to that curve, in the units of the points.
double distanceToCurve(QPointF at, std::span<const QPointF> points, fx::Direction direction);

} // namespace ui
