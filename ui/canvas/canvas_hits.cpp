// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_hits.h"

#include "ui/canvas/badge_painter.h"
#include "ui/canvas/band_painter.h"
#include "ui/canvas/edge_painter.h"
#include "ui/canvas/edge_path.h"
#include "ui/canvas/group_painter.h"
#include "ui/canvas/node_painter.h"

#include <QLineF>

namespace ui {

namespace {
constexpr double kLineReach = 4; ///< distance in pixels within which the line of a cut is hit
}

fx::Point CanvasHits::worldAt(QPointF at) const {
    const QPointF world = m_camera.toWorld(at);
    return {world.x(), world.y()};
}

fx::NodeId CanvasHits::nodeNear(QPointF at, double reach) const {
    fx::NodeId best = fx::kNoNode;
    double least = reach;
    m_state.scene->nodeGrid().query(m_camera.toWorld(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach)), 0,
                                    [&](std::uint32_t item) {
                                        const QRectF box = m_camera.toScreen(m_state.scene->node(item).rect);
                                        const double x = std::max({box.left() - at.x(), 0.0, at.x() - box.right()}),
                                                     y = std::max({box.top() - at.y(), 0.0, at.y() - box.bottom()});
                                        if (const double distance = std::hypot(x, y); distance <= least)
                                            best = m_state.scene->node(item).node, least = distance;
                                    });
    return best;
}

std::uint32_t CanvasHits::edgeAt(QPointF at, double reach) const {
    if (m_camera.zoom < 0.3) return kNoEdge;
    const auto& picture = m_state.scene->picture();
    std::uint32_t best = kNoEdge;
    double least = reach;
    const fx::Rect near = m_camera.toWorld(QRectF(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach));
    m_state.scene->edgeGrid().query(near, 0, [&](std::uint32_t edge) {
        if (picture.edges[edge].stub) return;
        std::vector<QPointF> points;
        for (const fx::Point& p : picture.edges[edge].points) points.push_back(m_camera.toScreen(p));
        const double distance = distanceToCurve(at, points, picture.direction);
        if (distance < least) best = edge, least = distance;
    });
    return best;
}

std::pair<ItemIndex, std::uint32_t> CanvasHits::hoverableAt(QPointF at) const {
    const ItemIndex item = itemAt(at);
    const std::uint32_t edge = item != kNoItem && !m_state.scene->isGroup(item) ? kNoEdge : edgeAt(at);
    if (edge != kNoEdge || (item != kNoItem && m_state.scene->isGroup(item) && m_state.scene->group(item).expanded))
        return {kNoItem, edge};
    return {item, edge};
}

std::uint32_t CanvasHits::badgeAt(QPointF at) const {
    if (!m_state.badger) return kNoEdge;
    constexpr double kReach = 3; ///< around the disc
    const double around = BadgePainter::kRadius * m_camera.zoom + kReach;
    std::uint32_t found = kNoEdge;
    m_state.scene->edgeGrid().query(
        m_camera.toWorld(QRectF(at.x() - around, at.y() - around, 2 * around, 2 * around)), 0, [&](std::uint32_t edge) {
            const QRectF disc =
                BadgePainter::badgeOf(m_state, edge) ? BadgePainter::place(m_state, edge, m_camera) : QRectF();
            if (!disc.isEmpty() && QLineF(disc.center(), at).length() <= disc.width() / 2 + kReach) found = edge;
        });
    return found;
}

ItemIndex CanvasHits::stubTargetAt(QPointF at) const {
    if (m_camera.zoom < 0.6) return kNoItem; // labels are not drawn
    const fx::Picture& picture = m_state.scene->picture();
    const fx::Point world = worldAt(at);
    ItemIndex target = kNoItem;
    m_state.scene->stubLabelGrid().query({world.x, world.y, 0, 0}, 0, [&](std::uint32_t index) {
        const fx::StubLabel& label = picture.stubLabels[index];
        if (!isStub(m_state, label.edge)) return;
        target = label.atTarget ? picture.edges[label.edge].from : picture.edges[label.edge].to;
    });
    return target;
}

fx::NodeId CanvasHits::chipAt(QPointF at) const {
    const ItemIndex item = itemAt(at);
    if (item == kNoItem || m_state.scene->isGroup(item) || m_camera.zoom < 0.7) return fx::kNoNode;
    const fx::NodeItem& node = m_state.scene->node(item);
    const fx::Point world = worldAt(at), inside{world.x - node.rect.x, world.y - node.rect.y};
    const std::vector<fx::Rect> rects = NodePainter::chipRects(node, m_fonts);
    for (std::size_t i = 0; i < std::min(rects.size(), node.chipNodes.size()); ++i)
        if (touches(rects[i], {inside.x, inside.y, 0, 0})) return node.chipNodes[i];
    return fx::kNoNode;
}

bool CanvasHits::isOnChevron(ItemIndex item, QPointF at) const {
    return item != kNoItem && m_state.scene->isGroup(item) &&
           GroupPainter::chevronRect(m_state.scene->group(item), m_camera).contains(at);
}

QRectF CanvasHits::cutHandle(std::size_t cut) const {
    return BandPainter::handles(*m_state.bands, *m_state.scene, m_fonts, m_camera, m_view)[cut].box;
}

int CanvasHits::cutAt(QPointF at) const {
    if (!m_state.bands) return -1;
    const auto handles = BandPainter::handles(*m_state.bands, *m_state.scene, m_fonts, m_camera, m_view);
    for (std::size_t i = handles.size(); i-- > 0;)
        if (handles[i].box.contains(at)) return static_cast<int>(i);
    const ItemIndex item = itemAt(at);
    if (item != kNoItem && !(m_state.scene->isGroup(item) && m_state.scene->group(item).expanded)) return -1;
    const bool down = m_state.scene->picture().direction == fx::Direction::TopDown;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const QPointF distance = handles[i].box.center() - at;
        if (std::abs(down ? distance.y() : distance.x()) <= kLineReach) return static_cast<int>(i);
    }
    return -1;
}

} // namespace ui
