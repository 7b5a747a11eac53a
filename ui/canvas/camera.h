// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <QPointF>
#include <QRectF>

#include <algorithm>
#include <cmath>

namespace ui {

/// The part of a picture that a view shows: screen = (world - origin) * zoom. A value type.
struct Camera {
    QPointF origin;  ///< world position of the view's top left corner
    double zoom = 1; ///< screen pixels per world unit

    /// Converts a world position to the view.
    QPointF toScreen(QPointF world) const { return (world - origin) * zoom; }
    /// Converts a world position to the view.
    QPointF toScreen(const fx::Point& world) const { return toScreen(QPointF(world.x, world.y)); }
    /// Converts a view position to the world.
    QPointF toWorld(QPointF screen) const { return origin + screen / zoom; }
    /// Converts a world rectangle to the view.
    QRectF toScreen(const fx::Rect& r) const {
        return {(r.x - origin.x()) * zoom, (r.y - origin.y()) * zoom, r.w * zoom, r.h * zoom};
    }
    /// Returns the world rectangle that is visible in a view rectangle.
    fx::Rect toWorld(const QRectF& view) const {
        const QPointF corner = toWorld(view.topLeft());
        return {corner.x(), corner.y(), view.width() / zoom, view.height() / zoom};
    }

    /// Zooms so that the point under `screen` stays there.
    void zoomAt(QPointF screen, double newZoom) {
        const QPointF world = toWorld(screen);
        zoom = newZoom;
        origin = world - screen / zoom;
    }
    /// Moves so that `world` is in the middle of a view of size `view`.
    void centerOn(QPointF world, QSizeF view) { origin = world - QPointF(view.width(), view.height()) / (2 * zoom); }

    /// Returns the camera that shows all of `area` in `view` with a margin, with a zoom of at most `maxZoom`.
    static Camera fitting(const fx::Rect& area, QSizeF view, double margin, double maxZoom) {
        Camera camera;
        const double across = std::max(1.0, view.width() - 2 * margin),
                     down = std::max(1.0, view.height() - 2 * margin);
        camera.zoom = std::min({maxZoom, across / std::max(area.w, 1.0), down / std::max(area.h, 1.0)});
        camera.centerOn({area.center().x, area.center().y}, view);
        return camera;
    }
    /// Interpolates between two cameras for `t` in 0..1: perceptually even zoom, straight on the screen.
    static Camera between(const Camera& from, const Camera& to, QSizeF view, double t) {
        Camera camera;
        camera.zoom = from.zoom * std::pow(to.zoom / from.zoom, t);
        const QPointF middle(view.width() / 2, view.height() / 2);
        const QPointF a = from.toWorld(middle), b = to.toWorld(middle);
        // The world point in the middle moves in proportion to 1/zoom, so that it does not swing out.
        const double span = 1 / to.zoom - 1 / from.zoom;
        const double part = std::abs(span) < 1e-12 ? t : (1 / camera.zoom - 1 / from.zoom) / span;
        camera.centerOn(a + (b - a) * part, view);
        return camera;
    }
};

} // namespace ui
