// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/edge_painter.h"

#include "ui/canvas/edge_curve.h"

namespace ui {
namespace {

constexpr double kCurveZoom = 0.3;  ///< below, lines are straight and not antialiased
constexpr double kArrowZoom = 0.25; ///< below, no arrow heads
constexpr double kStubZoom = 0.45;  ///< below, stubs are not drawn
constexpr double kStubLine = 14, kStubHeight = 16, kStubWidth = 150, kStubText = 0.85;

} // namespace

/// Edges of one look: a path of all lines and the tips of all arrows.
struct EdgePainter::Batch {
    struct Arrow {
        QPointF tip;
        double size;
    };
    QPainterPath lines, heavy; ///< heavy: edges that stand for several
    std::vector<Arrow> arrows;
};

EdgeLook edgeLook(const CanvasState& state, std::uint32_t index) {
    const fx::EdgeItem& edge = state.scene->picture().edges[index];
    if (state.hoverEdge == index) return EdgeLook::Hovered;
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
    case EdgeLook::Dimmed:
        return m_frame.dimmed(m_frame.theme.edge);
    case EdgeLook::Plain:
        return m_frame.theme.edge;
    case EdgeLook::Selected:
    case EdgeLook::Hovered:
        break;
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
        if (isStub(m_frame.state, edge))
            paintStub(edge);
        else
            addCurve(batches[std::size_t(edgeLook(m_frame.state, edge))], edge);
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
    if (m_frame.vector || m_frame.zoom() >= kArrowZoom) {
        const bool down = m_frame.scene().picture().direction == fx::Direction::TopDown;
        const double size = std::clamp(8 * m_frame.zoom(), 4.0, 12.0);
        batch.arrows.push_back({points.back(), size});
        // The line ends inside the head, not at its tip.
        QPointF& end = points.back();
        const QPointF before = points[points.size() - 2];
        const double room = 0.8 * std::abs(down ? end.y() - before.y() : end.x() - before.x());
        (down ? end.ry() : end.rx()) -= std::min(size * 0.8, room);
    }
    const QRectF clip = m_frame.view.adjusted(-20, -20, 20, 20);
    appendCurve(edge.weight > 1 ? batch.heavy : batch.lines, points, m_frame.scene().picture().direction, clip);
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
    const bool down = m_frame.scene().picture().direction == fx::Direction::TopDown;
    for (const Batch::Arrow& arrow : batch.arrows) {
        const double s = arrow.size, half = s * 0.52;
        if (!m_frame.view.adjusted(-s, -s, s, s).contains(arrow.tip)) continue;
        const QPointF back = down ? QPointF(0, -s) : QPointF(-s, 0), side = down ? QPointF(half, 0) : QPointF(0, half);
        const QPointF triangle[] = {arrow.tip, arrow.tip + back + side, arrow.tip + back - side};
        painter.drawConvexPolygon(triangle, 3);
    }
}

std::array<StubLabel, 2> stubLabels(const Scene& scene, const Camera& camera, const CanvasFonts& fonts,
                                    std::uint32_t index) {
    const fx::EdgeItem& edge = scene.picture().edges[index];
    std::array<StubLabel, 2> labels;
    if (edge.points.empty()) return labels;
    const bool down = scene.picture().direction == fx::Direction::TopDown;
    const double s = camera.zoom, height = kStubHeight * s;
    for (bool atTarget : {false, true}) {
        StubLabel& label = labels[atTarget];
        const ItemIndex other = atTarget ? edge.from : edge.to;
        const char* arrow = atTarget ? (down ? "↑ " : "← ") : (down ? "↓ " : "→ ");
        label.text = arrow + scene.title(other);
        const double width = std::min(kStubWidth, fonts.label.width(label.text) * kStubText + 16) * s,
                     sign = atTarget ? -1 : 1;
        label.tip = camera.toScreen(atTarget ? edge.points.back() : edge.points.front());
        label.foot = label.tip + (down ? QPointF(0, sign * kStubLine * s) : QPointF(sign * kStubLine * s, 0));
        const QPointF middle = label.foot + (down ? QPointF(0, sign * height / 2) : QPointF(sign * width / 2, 0));
        label.rect = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height);
        label.leadsTo = other;
    }
    return labels;
}

void EdgePainter::paintStub(std::uint32_t index) const {
    if (!m_frame.vector && m_frame.zoom() < kStubZoom) return;
    const EdgeLook look = edgeLook(m_frame.state, index);
    const auto labels = stubLabels(m_frame.scene(), m_frame.camera, m_frame.fonts, index);
    for (const StubLabel& label : labels)
        if (label.rect.intersects(m_frame.view)) paintStubLabel(label, look);
    Batch arrows;
    arrows.arrows.push_back({labels[1].tip, std::clamp(8 * m_frame.zoom(), 4.0, 12.0)});
    paintBatch(arrows, colorOf(look), 1);
}

void EdgePainter::paintStubLabel(const StubLabel& label, EdgeLook look) const {
    const double s = m_frame.zoom();
    QPainter& painter = m_frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(colorOf(look), 1, Qt::DashLine));
    painter.drawLine(label.tip, label.foot);
    m_frame.box(label.rect, {m_frame.theme.canvas, m_frame.theme.border, label.rect.height() / 2});
    const QColor color = look == EdgeLook::Dimmed ? m_frame.dimmed(m_frame.theme.muted) : m_frame.theme.muted;
    m_frame.text(m_frame.fonts.label, label.text, {label.rect.left() + 7 * s, label.rect.bottom() - 4.4 * s}, color,
                 (label.rect.width() / s - 12) / kStubText, kStubText * s);
}

} // namespace ui
