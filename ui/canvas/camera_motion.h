// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/camera.h"

#include <QVariantAnimation>

namespace ui {

/// The camera of a view over time: jumps, glides, and zooms about a point without losing it.
///
/// Nothing glides when the desktop asks for no animations (QStyle::SH_Widget_Animation_Duration is 0).
class CameraMotion : public QObject {
    Q_OBJECT
public:
    static constexpr double kMaxZoom = 4;

    explicit CameraMotion(QWidget* view);

    const Camera& camera() const { return m_camera; }
    bool moving() const { return m_animation.state() == QAbstractAnimation::Running; }
    /// The smallest zoom that makes sense for the picture shown.
    void setMinZoom(double zoom) { m_minZoom = zoom; }

    void jumpTo(const Camera& camera);
    void glideTo(const Camera& camera);
    /// Zooms by `factor` about a point of the view, smoothly; further calls add up.
    void zoomBy(double factor, QPointF about);
    /// The same at once, for gestures that are smooth themselves.
    void zoomByAtOnce(double factor, QPointF about);
    void panBy(QPointF viewPixels);
    /// Moves the world under the camera, without stopping what is going on.
    void shiftWorld(QPointF offset);

    /// How long animations last, in milliseconds; 0 when the desktop wants none.
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
