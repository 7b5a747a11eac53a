// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/edge_painter.h"

#include "ui/canvas/badge_painter.h"
#include "ui/canvas/edge_path.h"

#include <algorithm>

namespace ui {
namespace {

constexpr double kCurveZoom = 0.3;  ///< below, lines are straight and not antialiased
constexpr double kArrowZoom = 0.25; ///< below, no arrow heads
constexpr double kShapeZoom = 1.3;  ///< from here on every edge says what it carries

} // namespace

/// Edges of one look: a path of all lines and the tips of all arrows.
struct EdgePainter::Batch {
    struct Arrow {
        QPointF tip, way; ///< way: where it points, of length 1
        double size;
    };
    QPainterPath lines, heavy; ///< heavy: edges that stand for several
    std::vector<Arrow> arrows;
};

EdgeLook edgeLook(const CanvasState& state, std::uint32_t index) {
    const fx::EdgeItem& edge = state.scene->picture().edges[index];
    if (state.hoverEdge == index || state.wayEdges.contains(index)) return EdgeLook::Hovered;
    if (state.dimOthers) {
        const bool ofHovered =
            state.hoverItem != kNoItem && (edge.from == state.hoverItem || edge.to == state.hoverItem);
        return ofHovered ? EdgeLook::Hovered : EdgeLook::Dimmed;
    }
    const bool from = state.has(edge.from, CanvasState::Selected), to = state.has(edge.to, CanvasState::Selected);
    return (from && to) || (edge.stub && (from || to)) ? EdgeLook::Selected : EdgeLook::Plain;
}

bool isStub(const CanvasState& state, std::uint32_t edge) {
    return state.scene->picture().edges[edge].stub && edgeLook(state, edge) < EdgeLook::Selected;
}

QColor EdgePainter::colorOf(EdgeLook look) const {
    switch (look) {
    case EdgeLook::Dimmed: return m_frame.dimmed(m_frame.theme.edge);
    case EdgeLook::Plain: return m_frame.theme.edge;
    case EdgeLook::Selected:
    case EdgeLook::Hovered: break;
    }
    return m_frame.theme.accent;
}

/// The points of an edge in view coordinates, moved along with its ends during a transition.
std::vector<QPointF> EdgePainter::pointsOf(std::uint32_t index) const {
    const fx::EdgeItem& edge = m_frame.scene().picture().edges[index];
    std::vector<QPointF> points;
    points.reserve(edge.points.size());
    fx::Point atFrom, atTo;
    if (m_frame.state.transition) {
        atFrom = m_frame.state.transition->offset(edge.from);
        atTo = m_frame.state.transition->offset(edge.to);
    }
    const double last = std::max<double>(1, double(edge.points.size()) - 1);
    for (std::size_t i = 0; i < edge.points.size(); ++i) {
        const double t = double(i) / last;
        points.push_back(m_frame.camera.toScreen(fx::Point{edge.points[i].x + atFrom.x + (atTo.x - atFrom.x) * t,
                                                           edge.points[i].y + atFrom.y + (atTo.y - atFrom.y) * t}));
    }
    return points;
}

void EdgePainter::paint(const std::vector<std::uint32_t>& edges) const {
    if (!m_frame.vector && m_frame.zoom() < kCurveZoom) {
        paintFar(edges);
        return;
    }
    std::array<Batch, 4> batches;
    for (std::uint32_t edge : edges) {
        Batch& batch = batches[std::size_t(edgeLook(m_frame.state, edge))];
        isStub(m_frame.state, edge) ? addStub(batch, edge) : addCurve(batch, edge);
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    if (m_frame.state.transition) m_frame.painter.setOpacity(0.35 + 0.65 * m_frame.state.transition->time());
    const double plain = m_frame.vector           ? 1.2 * m_frame.zoom()
                         : m_frame.zoom() <= 1.05 ? 1.0
                                                  : std::min(1.1 * m_frame.zoom(), 2.5);
    for (EdgeLook look : {EdgeLook::Dimmed, EdgeLook::Plain, EdgeLook::Selected, EdgeLook::Hovered}) {
        const bool strong = look == EdgeLook::Selected || look == EdgeLook::Hovered;
        paintBatch(batches[std::size_t(look)], colorOf(look), strong ? plain + 0.9 : plain);
    }
    m_frame.painter.setOpacity(1);
}

void EdgePainter::paintFar(const std::vector<std::uint32_t>& edges) const {
    std::array<QVector<QLine>, 4> lines;
    const QRectF clip = m_frame.view.adjusted(-2, -2, 2, 2);
    for (std::uint32_t index : edges) {
        if (isStub(m_frame.state, index)) continue;
        const EdgeLook look = edgeLook(m_frame.state, index);
        QPoint last;
        bool begun = false;
        const auto& points = m_frame.state.transition ? pointsOf(index) : std::vector<QPointF>{};
        const auto& world = m_frame.scene().picture().edges[index].points;
        for (std::size_t i = 0; i < world.size(); ++i) {
            const QPointF at = points.empty() ? m_frame.camera.toScreen(world[i]) : points[i];
            const QPoint p(int(std::clamp(at.x(), clip.left() - 8000, clip.right() + 8000)),
                           int(std::clamp(at.y(), clip.top() - 8000, clip.bottom() + 8000)));
            // Points closer than two pixels add nothing to see.
            if (begun && i + 1 < world.size() && (p - last).manhattanLength() < 2) continue;
            if (begun && clip.intersects(QRectF(last, p).normalized().adjusted(-1, -1, 1, 1)))
                lines[std::size_t(look)].push_back({last, p});
            last = p;
            begun = true;
        }
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
    for (EdgeLook look : {EdgeLook::Dimmed, EdgeLook::Plain, EdgeLook::Selected, EdgeLook::Hovered}) {
        // Many thin lines look heavier than one.
        const QColor color =
            look == EdgeLook::Plain ? Frame::mixed(m_frame.theme.edge, m_frame.theme.canvas, 0.35) : colorOf(look);
        m_frame.painter.setPen(QPen(color, look == EdgeLook::Hovered || look == EdgeLook::Selected ? 2 : 1));
        m_frame.painter.drawLines(lines[std::size_t(look)]);
    }
}

void EdgePainter::addCurve(Batch& batch, std::uint32_t index) const {
    const fx::EdgeItem& edge = m_frame.scene().picture().edges[index];
    std::vector<QPointF> points = pointsOf(index);
    if (points.size() < 2) return;
    endInArrow(batch, points);
    const QRectF clip = m_frame.view.adjusted(-20, -20, 20, 20);
    appendCurve(edge.weight > 1 ? batch.heavy : batch.lines, points, m_frame.scene().picture().direction, clip);
}

/// The end at the source and the end at the target; what lies between is told by labels.
void EdgePainter::addStub(Batch& batch, std::uint32_t index) const {
    const fx::EdgeItem& edge = m_frame.scene().picture().edges[index];
    const std::vector<QPointF> points = pointsOf(index);
    const auto middle = points.begin() + std::min<std::ptrdiff_t>(edge.gap + 1, std::ssize(points));
    const std::vector<QPointF> source(points.begin(), middle);
    std::vector<QPointF> target(middle, points.end());
    const QRectF clip = m_frame.view.adjusted(-20, -20, 20, 20);
    if (target.size() >= 2) endInArrow(batch, target);
    appendCurve(batch.lines, source, m_frame.scene().picture().direction, clip);
    appendCurve(batch.lines, target, m_frame.scene().picture().direction, clip);
}

/// Puts an arrow head at the last point and ends the line inside the head, not at its tip. A line that arrives straight
/// says where the head points (what is docked beside its user comes from the side); a curve arrives along the flow.
void EdgePainter::endInArrow(Batch& batch, std::vector<QPointF>& points) const {
    if (!m_frame.vector && m_frame.zoom() < kArrowZoom) return;
    QPointF& end = points.back();
    const QPointF step = end - points[points.size() - 2];
    const bool down = m_frame.scene().picture().direction == fx::Direction::TopDown;
    const bool vertical = std::abs(step.y()) < 0.5 ? false : std::abs(step.x()) < 0.5 || down;
    const double room = vertical ? step.y() : step.x();
    const QPointF way = vertical ? QPointF(0, room < 0 ? -1 : 1) : QPointF(room < 0 ? -1 : 1, 0);
    const double size = m_frame.vector ? 8 * m_frame.zoom() : std::clamp(8 * m_frame.zoom(), 4.0, 12.0);
    batch.arrows.push_back({end, way, size});
    end -= way * std::min(size, std::abs(room)) * 0.8;
}

void EdgePainter::paintBatch(const Batch& batch, const QColor& color, double width) const {
    QPainter& painter = m_frame.painter;
    painter.setBrush(Qt::NoBrush);
    for (const auto& [path, extra] : {std::pair{&batch.lines, 0.0}, std::pair{&batch.heavy, 0.8}}) {
        if (path->isEmpty()) continue;
        painter.setPen(QPen(color, width + extra, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        painter.drawPath(*path);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    for (const Batch::Arrow& arrow : batch.arrows) {
        const double s = arrow.size;
        if (!m_frame.view.adjusted(-s, -s, s, s).contains(arrow.tip)) continue;
        const QPointF back = arrow.tip - arrow.way * s, side = QPointF(arrow.way.y(), arrow.way.x()) * s * 0.52;
        const QPointF triangle[] = {arrow.tip, back + side, back - side};
        painter.drawConvexPolygon(triangle, 3);
    }
}

QRectF EdgePainter::shapePlace(std::uint32_t index, const std::string& shape) const {
    const double s = m_frame.zoom(), width = (m_frame.fonts.mono.width(shape) + 8) * s, height = 15 * s;
    const std::vector<QPointF> points = pointsOf(index);
    const QPointF step = points[1] - points[0];
    const bool down = m_frame.scene().picture().direction == fx::Direction::TopDown;
    if (std::abs(down ? step.y() : step.x()) < (down ? height : width) + 4 * s) return {};
    const QPointF middle = (points[0] + points[1]) / 2;
    QRectF place = m_frame.snapped({middle.x() - width / 2, middle.y() - height / 2, width, height});
    const QRectF badge = BadgePainter::badgeOf(m_frame.state, index)
                             ? BadgePainter::place(m_frame.state, index, m_frame.camera)
                             : QRectF();
    if (place.intersects(badge)) // beside it
        place.moveTo(down ? QPointF(badge.right() + 2 * s, place.top())
                          : QPointF(place.left(), badge.top() - height - s));
    if (!m_frame.view.contains(place)) return {};
    bool free = true;
    m_frame.scene().nodeGrid().query(m_frame.camera.toWorld(place), 0, [&free](std::uint32_t) { free = false; });
    return free ? place : QRectF();
}

void EdgePainter::paintShapes(const std::vector<std::uint32_t>& edges) const {
    if (m_frame.vector || m_frame.state.transition || !m_frame.readable(10)) return;
    const fx::Picture& picture = m_frame.scene().picture();
    std::vector<QRectF> taken;
    for (const std::uint32_t index : edges) {
        const fx::EdgeItem& edge = picture.edges[index];
        const EdgeLook look = edgeLook(m_frame.state, index);
        const bool wanted = look == EdgeLook::Hovered || (m_frame.zoom() >= kShapeZoom && look != EdgeLook::Dimmed);
        if (!wanted || m_frame.scene().isGroup(edge.from) || edge.points.size() < 2 || isStub(m_frame.state, index))
            continue;
        const std::string& shape = picture.nodes[edge.from].shape;
        const QRectF place = shape.empty() ? QRectF() : shapePlace(index, shape);
        if (place.isEmpty() ||
            std::any_of(taken.begin(), taken.end(), [&](const QRectF& other) { return other.intersects(place); }))
            continue;
        taken.push_back(place);
        m_frame.painter.fillRect(place, m_frame.theme.canvas);
        m_frame.text(m_frame.fonts.mono, shape,
                     {place.left() + 4 * m_frame.zoom(), place.center().y() + 4 * m_frame.zoom()},
                     look == EdgeLook::Hovered ? m_frame.theme.accent : m_frame.theme.muted);
    }
}

void EdgePainter::paintStubLabels() const {
    if (!m_frame.readable(10)) return;
    const fx::Picture& picture = m_frame.scene().picture();
    const double s = m_frame.zoom();
    m_frame.scene().stubLabelGrid().query(m_frame.camera.toWorld(m_frame.view), 0, [&](std::uint32_t index) {
        const fx::StubLabel& label = picture.stubLabels[index];
        if (!isStub(m_frame.state, label.edge) || m_frame.state.transition) return;
        const bool dimmed = edgeLook(m_frame.state, label.edge) == EdgeLook::Dimmed;
        const QRectF r = m_frame.snapped(m_frame.camera.toScreen(label.rect));
        const QColor text = dimmed ? m_frame.dimmed(m_frame.theme.muted) : m_frame.theme.muted;
        m_frame.box(r, {m_frame.theme.canvas, m_frame.theme.border, 5 * s});
        m_frame.text(m_frame.fonts.mono, label.text, {r.left() + 8 * s, r.center().y() + 4 * s}, text,
                     label.rect.w - 12);
    });
}

} // namespace ui
