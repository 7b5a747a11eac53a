// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/edge_path.h"

#include "core/layout/edge_curve.h"

#include <QLineF>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

bool outside(QPointF a, QPointF b, const QRectF& clip) {
    return std::max(a.x(), b.x()) < clip.left() || std::min(a.x(), b.x()) > clip.right() ||
           std::max(a.y(), b.y()) < clip.top() || std::min(a.y(), b.y()) > clip.bottom();
}

} // namespace

void appendCurve(QPainterPath& path, std::span<const QPointF> points, fx::Direction direction, const QRectF& clip) {
    bool begun = false;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const QPointF a = points[i], b = points[i + 1];
        if (outside(a, b, clip)) {
            begun = false;
            continue;
        }
        if (!begun) path.moveTo(a);
        begun = true;
        const fx::CurvePiece piece = fx::curveBetween({a.x(), a.y()}, {b.x(), b.y()}, direction);
        // An S that is nearly straight is drawn straight.
        if (piece.straight || std::abs(a.x() - b.x()) < 0.5 || std::abs(a.y() - b.y()) < 0.5) path.lineTo(b);
        else path.cubicTo({piece.c1.x, piece.c1.y}, {piece.c2.x, piece.c2.y}, b);
    }
}

double distanceToCurve(QPointF at, std::span<const QPointF> points, fx::Direction direction) {
    QPainterPath path;
    appendCurve(path, points, direction, QRectF(at.x() - 50, at.y() - 50, 100, 100));
    double best = std::numeric_limits<double>::infinity();
    for (const QPolygonF& line : path.toSubpathPolygons()) {
        for (qsizetype i = 0; i + 1 < line.size(); ++i) {
            const QPointF a = line[i], d = line[i + 1] - a;
            const double length = QPointF::dotProduct(d, d);
            const double t = length > 0 ? std::clamp(QPointF::dotProduct(at - a, d) / length, 0.0, 1.0) : 0.0;
            best = std::min(best, QLineF(at, a + d * t).length());
        }
    }
    return best;
}

} // namespace ui
