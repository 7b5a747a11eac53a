// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/box_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr qsizetype kCacheSize = 2'000; // of pixmaps of about 20 x 20 pixels

} // namespace

void BoxPainter::drawShapes(QPainter& painter, const QRectF& box, const BoxLook& look, Qt::PenStyle style) {
    painter.setRenderHint(QPainter::Antialiasing, true);
    const double half = look.pen / 2;
    const QRectF middle = box.adjusted(half, half, -half, -half);
    const double room = std::max(std::min(middle.width(), middle.height()) / 2, 0.0);
    const double radius = std::clamp(look.radius - half, 0.0, room);
    QPen pen(look.line, look.pen, style);
    if (style == Qt::DashLine) pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(look.fill);
    painter.drawRoundedRect(middle, radius, radius);
    if (look.stripe <= look.pen) return;
    QPainterPath shape;
    shape.addRoundedRect(box, look.radius, look.radius);
    QPainterPath left;
    left.addRect(QRectF(box.left(), box.top(), look.stripe, box.height()));
    painter.fillPath(shape.intersected(left), look.line);
}

/// A box just large enough for its four corners.
const QPixmap& BoxPainter::corners(const BoxLook& look, double side, double devicePixels) {
    const Key key{look.fill.rgba(),  look.line.rgba(),     int(look.radius * 4),
                  int(look.pen * 4), int(look.stripe * 4), int(devicePixels * 4)};
    auto found = m_corners.constFind(key);
    if (found != m_corners.constEnd()) return *found;
    if (m_corners.size() >= kCacheSize) m_corners.clear();
    const int pixels = qCeil(2 * side * devicePixels);
    QPixmap pixmap(pixels, pixels);
    pixmap.setDevicePixelRatio(devicePixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    drawShapes(painter, QRectF(0, 0, 2 * side, 2 * side), look);
    painter.end();
    return *m_corners.insert(key, pixmap);
}

void BoxPainter::draw(QPainter& painter, const QRectF& box, const BoxLook& wanted, double devicePixels) {
    BoxLook look = wanted;
    const auto whole = [devicePixels](double v) { return std::max(1.0, std::round(v * devicePixels)) / devicePixels; };
    look.pen = whole(look.pen);
    if (look.stripe > 0) look.stripe = whole(look.stripe);
    look.radius = std::round(look.radius * 2 * devicePixels) / (2 * devicePixels); // few sizes while zooming
    const double side = std::ceil(std::max({look.radius, look.pen, look.stripe}) * devicePixels) / devicePixels;
    if (box.width() < 2 * side || box.height() < 2 * side) {
        drawShapes(painter, box, look);
        return;
    }
    const QPixmap& pixmap = corners(look, side, devicePixels);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const double left = box.left(), top = box.top(), right = box.right(), bottom = box.bottom(),
                 pixels = side * devicePixels;
    const double across = right - left - 2 * side, down = bottom - top - 2 * side,
                 edge = std::max(look.stripe, look.pen);
    const auto corner = [&](double x, double y, bool rightHalf, bool lowerHalf) {
        painter.drawPixmap(QPointF(x, y), pixmap,
                           QRectF(rightHalf ? pixels : 0, lowerHalf ? pixels : 0, pixels, pixels));
    };
    corner(left, top, false, false);
    corner(right - side, top, true, false);
    corner(left, bottom - side, false, true);
    corner(right - side, bottom - side, true, true);
    painter.fillRect(QRectF(left + side, top, across, look.pen), look.line);
    painter.fillRect(QRectF(left + side, bottom - look.pen, across, look.pen), look.line);
    painter.fillRect(QRectF(left, top + side, edge, down), look.line);
    painter.fillRect(QRectF(right - look.pen, top + side, look.pen, down), look.line);
    painter.fillRect(QRectF(left + side, top + look.pen, across, side - look.pen), look.fill);
    painter.fillRect(QRectF(left + side, bottom - side, across, side - look.pen), look.fill);
    painter.fillRect(QRectF(left + edge, top + side, right - left - edge - look.pen, down), look.fill);
}

} // namespace ui
