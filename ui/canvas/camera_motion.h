// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera.h"

#include <QVariantAnimation>

namespace ui {

/// The camera of a view over time: jumps, glides, and zooms about a fixed point.
///
/// There are no animations if the desktop disables them (QStyle::SH_Widget_Animation_Duration is 0).
class CameraMotion : public QObject {
    Q_OBJECT
public:
    static constexpr double kMaxZoom = 4;

    explicit CameraMotion(QWidget* view);

    const Camera& camera() const { return m_camera; }
    bool moving() const { return m_animation.state() == QAbstractAnimation::Running; }
    /// The minimum zoom for the current picture.
    void setMinZoom(double zoom) { m_minZoom = zoom; }

    void jumpTo(const Camera& camera);
    void glideTo(const Camera& camera);
    /// Zooms smoothly by `factor` about a point of the view; further calls accumulate.
    void zoomBy(double factor, QPointF about);
    /// The same without animation, for gestures that are already smooth.
    void zoomByAtOnce(double factor, QPointF about);
    void panBy(QPointF viewPixels);
    /// Moves the world under the camera without stopping animations.
    void shiftWorld(QPointF offset);

    /// Duration of animations in milliseconds; 0 if the desktop disables them.
    int duration() const;

Q_SIGNALS:
    void changed();

private:
    double limited(double zoom) const { return std::clamp(zoom, m_minZoom, kMaxZoom); }
    void step(double t);
    QSizeF viewSize() const;

    QWidget* m_view;
    QVariantAnimation m_animation;
    Camera m_camera, m_from, m_to;
    bool m_zooming = false; ///< about m_about; else gliding
    QPointF m_about;
    double m_targetZoom = 1;
    double m_minZoom = 0.01;
};

} // namespace ui
