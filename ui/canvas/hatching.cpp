// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/hatching.h"

#include <QPainter>

#include <cmath>

namespace ui {
namespace {

constexpr double kStep = 8;      ///< units between lines, as in Qt's patterns
constexpr int kMostLines = 8000; ///< more are too fine to be seen in an area of any size

/// Calls `line` at each multiple of `step` between two places.
template<class Line> void each(double from, double to, double step, const Line& line) {
    step = std::max(step, (to - from) / kMostLines);
    for (double at = std::floor(from / step) * step; at <= to; at += step) line(at);
}

/// Lines across the area: `rising` and `falling` ones are at 45 degrees.
void addLines(QPainterPath& path, const QRectF& area, Qt::BrushStyle style, double step) {
    const auto line = [&path](double x1, double y1, double x2, double y2) {
        path.moveTo(x1, y1);
        path.lineTo(x2, y2);
    };
    const auto is = [style](Qt::BrushStyle one, Qt::BrushStyle both) { return style == one || style == both; };
    const double left = area.left(), right = area.right(), top = area.top(), bottom = area.bottom();
    if (is(Qt::HorPattern, Qt::CrossPattern)) each(top, bottom, step, [&](double y) { line(left, y, right, y); });
    if (is(Qt::VerPattern, Qt::CrossPattern)) each(left, right, step, [&](double x) { line(x, top, x, bottom); });
    if (is(Qt::BDiagPattern, Qt::DiagCrossPattern)) // x + y is the same along each line
        each(left + top, right + bottom, step, [&](double sum) { line(sum - top, top, sum - bottom, bottom); });
    if (is(Qt::FDiagPattern, Qt::DiagCrossPattern)) // x - y is
        each(left - bottom, right - top, step,
             [&](double difference) { line(difference + top, top, difference + bottom, bottom); });
}

/// Rows of dots, every second one shifted.
void paintDots(QPainter& painter, const QRectF& area, const QColor& colour, double unit, double step) {
    QPen pen(colour, unit * 1.2, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({1, step / pen.widthF() - 1}); // in widths of the pen
    each(area.top(), area.bottom(), step, [&](double y) {
        const bool isShifted = std::lround(y / step) % 2 != 0;
        pen.setDashOffset(((isShifted ? step / 2 : 0) + std::fmod(area.left(), step)) / pen.widthF());
        painter.setPen(pen);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    });
}

} // namespace

void paintHatching(QPainter& painter, const QPainterPath& area, Qt::BrushStyle style, const QColor& colour,
                   double unit) {
    const QRectF around = area.boundingRect();
    if (around.isEmpty()) return;
    painter.save();
    painter.setClipPath(area, Qt::IntersectClip);
    painter.setBrush(Qt::NoBrush);
    if (style == Qt::Dense6Pattern || style == Qt::Dense7Pattern) {
        paintDots(painter, around, colour, unit, (style == Qt::Dense6Pattern ? 0.5 : 0.75) * kStep * unit);
    } else {
        QPainterPath lines;
        addLines(lines, around, style, kStep * unit);
        painter.setPen(QPen(colour, unit, Qt::SolidLine, Qt::FlatCap));
        painter.drawPath(lines);
    }
    painter.restore();
}

} // namespace ui
