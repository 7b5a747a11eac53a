// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPainterPath>

class QColor;
class QPainter;

namespace ui {

/// Hatches an area with lines or dots that are shapes of their own, `unit` wide and eight apart.
///
/// The patterns of brushes are in dots of the device: in a PDF of 1200 dots an inch nobody can tell one from another,
/// in a large PNG they are as fine, and pens ignore them. Lines go on from one area to the next.
void paintHatching(QPainter& painter, const QPainterPath& area, Qt::BrushStyle style, const QColor& colour,
                   double unit = 1);

} // namespace ui
