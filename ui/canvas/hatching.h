// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPainterPath>

class QColor;
class QPainter;

namespace ui {

/// Hatches an area with lines or dots that are separate shapes, `unit` wide and eight units apart.
///
/// Brush patterns are in device dots: in a PDF of 1200 dpi they are indistinguishable, in a large PNG they are too
/// fine, and pens ignore them. Lines continue from one area to the next.
void paintHatching(QPainter& painter, const QPainterPath& area, Qt::BrushStyle style, const QColor& colour,
                   double unit = 1);

} // namespace ui
