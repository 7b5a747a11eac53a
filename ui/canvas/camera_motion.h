// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera.h"

#include <QVariantAnimation>

namespace ui {

/// The camera of a view over time: jumps, glides, and zooms about a fixed point.
///
/// Nothing is animated if the desktop disables animations (QStyle::SH_Widget_Animation_Duration is 0).
class CameraMotion : public QObject {
    Q_OBJECT
public:
    static constexpr double kMaxZoom = 4; ///< the maximum zoom

    explicit CameraMotion(QWidget* view); ///< `view` becomes the parent.

    const Camera& camera() const { return m_camera; } ///< The current camera.
    /// True during an animation.
    bool moving() const { return m_animation.state() == QAbstractAnimation::Running; }
    /// Sets the minimum zoom for the current picture.
    void setMinZoom(double zoom) { m_minZoom = zoom; }
    /// True if the zoom is below the minimum, which the current picture has raised.
    bool isTooSmall() const { return m_camera.zoom < m_minZoom; }

    void jumpTo(const Camera& camera);  ///< Moves to `camera` without animation; limits its zoom.
    void glideTo(const Camera& camera); ///< Moves smoothly to `camera`; limits its zoom.
    /// Zooms smoothly by `factor` about a point of the view; further calls accumulate.
    void zoomBy(double factor, QPointF about);
    /// Zooms by `factor` without animation, for gestures that are already smooth.
    void zoomByAtOnce(double factor, QPointF about);
    void panBy(QPointF viewPixels); ///< Moves the content of the view by an offset.
    /// Moves the world under the camera without stopping animations.
    void shiftWorld(QPointF offset);

    /// Duration of animations in milliseconds; 0 if the desktop disables them.
    int duration() const;

Q_SIGNALS:
    void changed(); ///< Emitted when `camera` changes.

private:
    double limited(double zoom) const { return std::clamp(zoom, m_minZoom, kMaxZoom); }
    void step(double t);
    QSizeF viewSize() const;

    QWidget* m_view;
    QVariantAnimation m_animation{this};
    Camera m_camera, m_from, m_to;
    bool m_zooming = false; ///< zooms about `m_about`; else glides
    QPointF m_about;
    double m_targetZoom = 1;
    double m_minZoom = 0.01;
};

} // namespace ui
