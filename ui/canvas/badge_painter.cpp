// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/badge_painter.h"

#include "ui/canvas/edge_painter.h"

namespace ui {
namespace {

constexpr double kLeastRadius = 4;  ///< smaller discs are not drawn
constexpr double kLetterZoom = 0.7; ///< below, discs have no letter

} // namespace

const EdgeBadge* BadgePainter::badgeOf(const CanvasState& state, std::uint32_t index) {
    if (!state.badger) return nullptr;
    const Scene& scene = *state.scene;
    const fx::EdgeItem& edge = scene.picture().edges[index];
    if (scene.isGroup(edge.from) || scene.isGroup(edge.to)) return nullptr;
    return state.badger(scene.node(edge.from).node, scene.node(edge.to).node);
}

/// The middle of the middle part: curves pass through it, since each part is symmetric.
QRectF BadgePainter::place(const CanvasState& state, std::uint32_t index, const Camera& camera) {
    const auto& points = state.scene->picture().edges[index].points;
    const double radius = kRadius * camera.zoom;
    if (points.size() < 2 || radius < kLeastRadius) return {};
    const std::size_t part = isStub(state, index) ? points.size() - 2 : (points.size() - 1) / 2;
    const QPointF a = camera.toScreen(points[part]), b = camera.toScreen(points[part + 1]), middle = (a + b) / 2;
    return {middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius};
}

void BadgePainter::paint(const std::vector<std::uint32_t>& edges) const {
    if (!m_frame.state.badger || m_frame.state.transition) return;
    QPainter& painter = m_frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, true);
    for (const std::uint32_t edge : edges) {
        const EdgeBadge* badge = badgeOf(m_frame.state, edge);
        const QRectF disc = badge ? place(m_frame.state, edge, m_frame.camera) : QRectF();
        if (disc.isEmpty() || !m_frame.view.intersects(disc)) continue;
        painter.setPen(
            QPen(badge->faint ? m_frame.theme.muted : badge->color, 1.5, badge->faint ? Qt::DotLine : Qt::SolidLine));
        const QColor fill = badge->faint ? m_frame.theme.canvas : badge->color;
        painter.setBrush(fill);
        painter.drawEllipse(disc);
        if (m_frame.zoom() < kLetterZoom && !m_frame.vector) continue;
        const double width = m_frame.fonts.label.width(badge->text) * m_frame.zoom();
        m_frame.text(m_frame.fonts.label, badge->text,
                     {disc.center().x() - width / 2, disc.center().y() + 4 * m_frame.zoom()},
                     badge->faint ? m_frame.theme.muted : readableOn(fill, m_frame.theme.onAccent));
    }
}

} // namespace ui
