// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/region_painter.h"

#include "ui/canvas/edge_path.h"
#include "ui/canvas/hatching.h"

namespace ui {
namespace {

constexpr double kMargin = 10;    ///< around boxes, in picture units
constexpr double kNearZoom = 0.3; ///< below, hulls are rectangles

} // namespace

/// The region of a node, or the one that all nodes of a closed group are in.
const NodeRegion* RegionPainter::regionOf(ItemIndex item) const {
    if (m_frame.scene().isGroup(item)) {
        const auto& inside = m_frame.state.regionsIn[item - m_frame.scene().picture().nodes.size()];
        return inside.size() == 1 ? inside.front().first : nullptr;
    }
    const NodeStyle* style =
        m_frame.scene().node(item).copy > 0 ? nullptr : m_frame.state.styler(m_frame.scene().node(item).node);
    return style ? style->region : nullptr;
}

RegionPainter::Hull& RegionPainter::hullOf(const NodeRegion* region) const {
    const auto [place, isNew] = m_places.try_emplace(region, m_hulls.size());
    if (isNew) m_hulls.emplace_back().region = region;
    return m_hulls[place->second];
}

void RegionPainter::paint(const std::vector<ItemIndex>& nodes, const std::vector<ItemIndex>& groups,
                          const std::vector<std::uint32_t>& edges) const {
    if (!m_frame.state.hasRegions || !m_frame.state.styler) return;
    for (const auto* items : {&nodes, &groups})
        for (const ItemIndex item : *items)
            if (const NodeRegion* region = regionOf(item)) {
                Hull& hull = hullOf(region);
                const QRectF box = m_frame.screenRect(item);
                if (hull.boxes.empty() || box.top() + box.left() / 1000 < hull.first.top() + hull.first.left() / 1000)
                    hull.first = box;
                hull.boxes.push_back(box);
            }
    const bool near = m_frame.vector || m_frame.zoom() >= kNearZoom;
    if (near && !m_frame.state.transition)
        for (const std::uint32_t edge : edges) addEdge(edge);
    m_frame.painter.save();
    const QPointF origin = m_frame.camera.toScreen(fx::Point{0, 0});
    m_frame.painter.setBrushOrigin(
        QPointF(std::round(origin.x()), std::round(origin.y()))); // the hatching moves with the picture
    for (const Hull& hull : m_hulls) near ? paintHull(hull) : paintFar(hull);
    m_frame.painter.restore();
}

void RegionPainter::addEdge(std::uint32_t index) const {
    const fx::EdgeItem& edge = m_frame.scene().picture().edges[index];
    if (edge.stub) return;
    const NodeRegion* region = regionOf(edge.from);
    if (!region || region != regionOf(edge.to)) return;
    std::vector<QPointF> points;
    for (const fx::Point& point : edge.points) points.push_back(m_frame.camera.toScreen(point));
    appendCurve(hullOf(region).ways, points, m_frame.scene().picture().direction,
                m_frame.view.adjusted(-40, -40, 40, 40));
}

/// The lines of both parts fall together where these overlap.
void RegionPainter::paintHatchedHull(const Hull& hull, const QTransform& smaller, double margin,
                                     const QColor& color) const {
    QPainterPathStroker wide;
    wide.setWidth(2 * margin * 0.7);
    wide.setCapStyle(Qt::FlatCap);
    wide.setJoinStyle(Qt::RoundJoin);
    QPainterPath boxes;
    boxes.setFillRule(Qt::WindingFill);
    for (const QRectF& box : hull.boxes)
        boxes.addRoundedRect(smaller.mapRect(box).adjusted(-margin, -margin, margin, margin), margin, margin);
    const Qt::BrushStyle style = kHatchings[std::size_t(hull.region->hatch % 8)];
    for (const QPainterPath& part : {wide.createStroke(smaller.map(hull.ways)), boxes})
        paintHatching(m_frame.painter, part, style, color);
}

void RegionPainter::paintHull(const Hull& hull) const {
    QPainter& painter = m_frame.painter;
    // Exports may have hundreds of dots an inch: lines and hatching grow with the picture there.
    const double s = m_frame.zoom(), unit = m_frame.vector ? s : 1, margin = std::max(4.0, kMargin * s / unit);
    const QTransform smaller = QTransform::fromScale(1 / unit, 1 / unit);
    painter.save();
    painter.scale(unit, unit);
    const auto layer = [&](const QBrush& brush, double more) {
        painter.setPen(QPen(brush, 2 * (margin * 0.7 + more), Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(smaller.map(hull.ways));
        painter.setPen(Qt::NoPen);
        painter.setBrush(brush);
        const double out = margin + more;
        for (const QRectF& box : hull.boxes)
            painter.drawRoundedRect(smaller.mapRect(box).adjusted(-out, -out, out, out), out, out);
    };
    const QColor& color = hull.region->color;
    painter.setRenderHint(QPainter::Antialiasing, true);
    layer(color, 1.4);
    layer(Frame::mixed(m_frame.theme.canvas, color, 0.10), 0);
    const QColor lines = Frame::mixed(m_frame.theme.canvas, color, 0.38);
    if (m_frame.vector) paintHatchedHull(hull, smaller, margin, lines);
    else layer(QBrush(lines, kHatchings[std::size_t(hull.region->hatch % 8)]), 0);
    painter.restore();
}

void RegionPainter::paintFar(const Hull& hull) const {
    QPainter& painter = m_frame.painter;
    const double margin = std::max(1.0, kMargin * m_frame.zoom());
    QVector<QRectF> boxes;
    for (const QRectF& box : hull.boxes) boxes.push_back(box.adjusted(-margin, -margin, margin, margin));
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Frame::mixed(m_frame.theme.canvas, hull.region->color, 0.3));
    painter.drawRects(boxes);
    painter.setBrush(QBrush(hull.region->color, kHatchings[std::size_t(hull.region->hatch % 8)]));
    painter.drawRects(boxes);
}

void RegionPainter::paintNames() const {
    if (m_hulls.empty() || m_frame.zoom() < kNearZoom * 1.4) return;
    constexpr double kPixels = 11, kScale = kPixels / 13;
    const double scale = m_frame.vector ? kScale * m_frame.zoom() : kScale,
                 margin = std::max(4.0, kMargin * m_frame.zoom());
    for (const Hull& hull : m_hulls) {
        if (hull.boxes.empty()) continue;
        const double unit = scale / kScale, width = m_frame.fonts.title.width(hull.region->name) * scale + 12 * unit,
                     height = 16 * unit;
        const QRectF label = m_frame.snapped(
            {hull.first.left() - margin + 6 * unit, hull.first.top() - margin - height * 0.6, width, height});
        m_frame.box(label, {m_frame.theme.canvas, hull.region->color, height / 2});
        m_frame.text(m_frame.fonts.title, hull.region->name, {label.left() + 6 * unit, label.bottom() - height * 0.27},
                     hull.region->color, 1e9, scale);
    }
}

} // namespace ui
