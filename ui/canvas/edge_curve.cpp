// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/edge_curve.h"

#include <QLineF>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {
namespace {

/// Points seen along the direction of the picture: `along` grows from user to input.
struct Axis {
    bool down;
    double along(QPointF p) const { return down ? p.y() : p.x(); }
    double across(QPointF p) const { return down ? p.x() : p.y(); }
    QPointF point(double along, double across) const { return down ? QPointF(across, along) : QPointF(along, across); }
};

/// Slopes of the curve at each point; empty when the points do not run forwards.
std::vector<double> slopes(std::span<const QPointF> points, const Axis& axis) {
    std::vector<double> result(points.size(), 0.0);
    double previous = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const double step = axis.along(points[i + 1]) - axis.along(points[i]);
        if (step < 1e-6) return {};
        const double slope = (axis.across(points[i + 1]) - axis.across(points[i])) / step;
        if (i > 0 && slope * previous > 0) result[i] = 2 * slope * previous / (slope + previous);
        previous = slope;
    }
    return result;
}

bool outside(QPointF a, QPointF b, const QRectF& clip) {
    return std::max(a.x(), b.x()) < clip.left() || std::min(a.x(), b.x()) > clip.right() ||
           std::max(a.y(), b.y()) < clip.top() || std::min(a.y(), b.y()) > clip.bottom();
}

} // namespace

void appendCurve(QPainterPath& path, std::span<const QPointF> points, fx::Direction direction, const QRectF& clip) {
    if (points.size() < 2) return;
    const Axis axis{direction == fx::Direction::TopDown};
    const std::vector<double> slope = slopes(points, axis);
    bool begun = false;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const QPointF a = points[i], b = points[i + 1];
        if (outside(a, b, clip)) {
            begun = false;
            continue;
        }
        if (!begun) path.moveTo(a);
        begun = true;
        if (slope.empty() || std::abs(axis.across(a) - axis.across(b)) < 0.5) {
            path.lineTo(b);
            continue;
        }
        const double step = axis.along(b) - axis.along(a);
        const auto reach = [step](double m) { return step * (m == 0 ? 0.5 : 1.0 / 3); };
        const double ra = reach(slope[i]), rb = reach(slope[i + 1]);
        path.cubicTo(axis.point(axis.along(a) + ra, axis.across(a) + slope[i] * ra),
                     axis.point(axis.along(b) - rb, axis.across(b) - slope[i + 1] * rb), b);
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
