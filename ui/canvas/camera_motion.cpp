// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/camera_motion.h"

#include <QStyle>
#include <QWidget>

namespace ui {

CameraMotion::CameraMotion(QWidget* view) : QObject(view), m_view(view) {
    m_animation.setStartValue(0.0);
    m_animation.setEndValue(1.0);
    m_animation.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_animation, &QVariantAnimation::valueChanged, this,
            [this](const QVariant& value) { step(value.toDouble()); });
}

QSizeF CameraMotion::viewSize() const { return m_view->size(); }

int CameraMotion::duration() const {
    return m_view->style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, m_view) == 0 ? 0 : 140;
}

void CameraMotion::jumpTo(const Camera& camera) {
    m_animation.stop();
    m_camera = camera;
    m_camera.zoom = limited(camera.zoom);
    Q_EMIT changed();
}

void CameraMotion::glideTo(const Camera& camera) {
    if (duration() == 0 || !m_view->isVisible()) {
        jumpTo(camera);
        return;
    }
    m_animation.stop();
    m_zooming = false;
    m_from = m_camera, m_to = camera;
    m_to.zoom = limited(m_to.zoom);
    m_animation.setDuration(duration() + 60);
    m_animation.start();
}

void CameraMotion::zoomBy(double factor, QPointF about) {
    if (duration() == 0) {
        zoomByAtOnce(factor, about);
        return;
    }
    const bool goesOn = moving() && m_zooming;
    m_animation.stop();
    m_targetZoom = limited((goesOn ? m_targetZoom : m_camera.zoom) * factor);
    m_zooming = true;
    m_about = about;
    m_from = m_camera;
    m_animation.setDuration(duration());
    m_animation.start();
}

void CameraMotion::zoomByAtOnce(double factor, QPointF about) {
    m_animation.stop();
    m_camera.zoomAt(about, limited(m_camera.zoom * factor));
    Q_EMIT changed();
}

void CameraMotion::panBy(QPointF viewPixels) {
    if (!m_zooming) m_animation.stop();
    shiftWorld(-viewPixels / m_camera.zoom);
}

void CameraMotion::shiftWorld(QPointF offset) {
    for (Camera* camera : {&m_camera, &m_from, &m_to}) camera->origin += offset;
    Q_EMIT changed();
}

void CameraMotion::step(double t) {
    if (m_zooming) m_camera.zoomAt(m_about, m_from.zoom * std::pow(m_targetZoom / m_from.zoom, t));
    else m_camera = t >= 1 ? m_to : Camera::between(m_from, m_to, viewSize(), t);
    Q_EMIT changed();
}

} // namespace ui
