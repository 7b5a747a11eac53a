// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/badge_painter.h"

#include "ui/canvas/canvas_private.h"
#include "ui/canvas/edge_painter.h"

namespace ui {
namespace {

constexpr double kBadgeRadius = 8, kLeastRadius = 4; ///< at 100 %; smaller discs are not drawn
constexpr double kLetterZoom = 0.7;                  ///< below, discs have no letter

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
    const double radius = kBadgeRadius * camera.zoom;
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

void GraphCanvas::setEdgeBadger(EdgeBadger badger) {
    if (!badger && !d->state.badger) return;
    d->state.badger = std::move(badger);
    update();
    Q_EMIT stylesChanged();
}

QRectF GraphCanvas::badgeRect(fx::NodeId from, fx::NodeId to) const {
    const Scene& scene = *d->state.scene;
    for (ItemIndex item = scene.itemOf(to); item != kNoItem; item = scene.nextCopy(item))
        for (const std::uint32_t index : scene.edgesInto(item)) {
            const ItemIndex source = scene.picture().edges[index].from;
            if (!scene.isGroup(source) && scene.node(source).node == from && BadgePainter::badgeOf(d->state, index))
                return BadgePainter::place(d->state, index, d->motion.camera());
        }
    return {};
}

std::uint32_t GraphCanvas::Private::badgeAt(QPointF at) const {
    if (!state.badger) return kNoEdge;
    constexpr double kReach = 3; ///< around the disc
    const Camera& camera = motion.camera();
    const double around = kBadgeRadius * camera.zoom + kReach;
    std::uint32_t found = kNoEdge;
    state.scene->edgeGrid().query(
        camera.toWorld(QRectF(at.x() - around, at.y() - around, 2 * around, 2 * around)), 0, [&](std::uint32_t edge) {
            const QRectF disc =
                BadgePainter::badgeOf(state, edge) ? BadgePainter::place(state, edge, camera) : QRectF();
            if (!disc.isEmpty() && QLineF(disc.center(), at).length() <= disc.width() / 2 + kReach) found = edge;
        });
    return found;
}

bool GraphCanvas::Private::pressBadge(QPointF at) {
    const std::uint32_t index = badgeAt(at);
    if (index == kNoEdge) return false;
    const fx::EdgeItem& edge = state.scene->picture().edges[index];
    Q_EMIT q->badgeClicked(q->mapToGlobal(at.toPoint()), state.scene->node(edge.from).node,
                           state.scene->node(edge.to).node);
    return true;
}

} // namespace ui
