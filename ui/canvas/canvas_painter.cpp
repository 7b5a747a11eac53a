// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_painter.h"

#include "ui/canvas/badge_painter.h"
#include "ui/canvas/band_painter.h"
#include "ui/canvas/edge_painter.h"
#include "ui/canvas/group_painter.h"
#include "ui/canvas/node_painter.h"
#include "ui/canvas/region_painter.h"

namespace ui {
namespace {

// Edges shorter than this many pixels are not seen between their boxes.
constexpr double kSmallestEdge = 3, kSmallestFarEdge = 6;
constexpr double kFarZoom = 0.06;
constexpr std::size_t kMostFarEdges = 25'000; ///< more cover the view: then only the longer ones are drawn

} // namespace

void CanvasPainter::paint() {
    if (m_frame.state.transition) collectMoving();
    else collect();
    const GroupPainter groups(m_frame);
    groups.paint(m_groups);
    if (m_frame.state.transition) paintLeaving();
    const BandPainter bands(m_frame);
    bands.paintBands();
    const RegionPainter regions(m_frame);
    regions.paint(m_nodes, m_groups, m_edges);
    if (m_frame.state.hasRegions) paintClosedAgain(groups);
    const EdgePainter edges(m_frame);
    edges.paint(m_edges);
    edges.paintShapes(m_edges);
    groups.paintHeaders(m_groups);
    const NodePainter nodes(m_frame);
    if (nodes.isPlain()) m_plainNodes = nodes.paintPlain();
    else nodes.paint(m_nodes);
    regions.paintNames();
    BadgePainter(m_frame).paint(m_edges);
    edges.paintStubLabels();
    groups.paintFarNames(m_groups);
    bands.paintCuts();
}

/// Hulls are filled: closed groups with room for a name lie on top of them, as nodes do.
void CanvasPainter::paintClosedAgain(const GroupPainter& groups) const {
    constexpr double kNamed = 16;
    std::vector<ItemIndex> closed;
    for (const ItemIndex item : m_groups)
        if (!m_frame.scene().group(item).expanded && m_frame.screenRect(item).height() >= kNamed)
            closed.push_back(item);
    groups.paint(closed);
}

void CanvasPainter::collect() {
    const Scene& scene = m_frame.scene();
    // Outlines and labels reach out of their boxes.
    const fx::Rect area = m_frame.camera.toWorld(m_frame.view.adjusted(-8, -8, 8, 8));
    if (!NodePainter(m_frame).isPlain())
        scene.nodeGrid().query(area, 0, [this](std::uint32_t node) { m_nodes.push_back(node); });
    scene.groupGrid().query(area, 1 / m_frame.zoom(),
                            [&](std::uint32_t group) { m_groups.push_back(scene.groupItem(group)); });
    const fx::Rect reach = m_frame.camera.toWorld(m_frame.view.adjusted(-160, -40, 160, 40));
    const bool near = m_frame.vector || m_frame.zoom() >= 0.3;
    double least = near ? 0 : (m_frame.zoom() < kFarZoom ? kSmallestFarEdge : kSmallestEdge) / m_frame.zoom();
    const auto collectEdges = [&] {
        scene.edgeGrid().query(near ? reach : area, least, [this](std::uint32_t edge) { m_edges.push_back(edge); });
    };
    for (collectEdges(); !near && m_edges.size() > kMostFarEdges; collectEdges()) m_edges.clear(), least *= 2;
    std::sort(m_groups.begin(), m_groups.end()); // parents before children
}

/// During a transition nothing is where the index says: look at everything.
void CanvasPainter::collectMoving() {
    const Scene& scene = m_frame.scene();
    const fx::Rect area = m_frame.camera.toWorld(m_frame.view.adjusted(-8, -8, 8, 8));
    const auto nodes = static_cast<ItemIndex>(scene.picture().nodes.size());
    std::vector<fx::Rect> now(scene.itemCount());
    for (ItemIndex item = 0; item < scene.itemCount(); ++item) {
        now[item] = m_frame.rect(item);
        if (touches(now[item], area)) (item < nodes ? m_nodes : m_groups).push_back(item);
    }
    const auto& edges = scene.picture().edges;
    const double least = kSmallestEdge / m_frame.zoom();
    for (std::uint32_t i = 0; i < edges.size(); ++i) {
        const fx::Rect &a = now[edges[i].from], &b = now[edges[i].to];
        const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
        const fx::Rect both{x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
        if (std::max(both.w, both.h) >= least && touches(both, area)) m_edges.push_back(i);
    }
}

void CanvasPainter::paintLeaving() const {
    const Transition& transition = *m_frame.state.transition;
    const NodePainter nodes(m_frame);
    for (const Transition::Leaving& leaving : transition.leaving()) {
        const QRectF box = m_frame.camera.toScreen(transition.rect(leaving));
        if (transition.from().isGroup(leaving.item) || box.height() < 3 || !box.intersects(m_frame.view)) continue;
        nodes.paintGhost(transition.from().node(leaving.item), transition.from().op(leaving.item), box,
                         1 - transition.time());
    }
}

} // namespace ui
