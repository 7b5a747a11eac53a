// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

#include <QPainterPath>

namespace ui {

/// The emphasis of an edge, in the order of drawing.
enum class EdgeLook : std::uint8_t { Dimmed, Plain, Selected, Hovered };
EdgeLook edgeLook(const CanvasState& state, std::uint32_t edge); ///< Returns the emphasis of an edge.

/// True if the edge is currently drawn as two stubs. Long edges are drawn in full if an end is selected or hovered.
bool isStub(const CanvasState& state, std::uint32_t edge);

/// Draws edges: smooth curves with arrow heads, straight lines at low zoom, labelled stubs for very long ones.
/// Edges with the same look share one path.
class EdgePainter {
public:
    explicit EdgePainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    /// Paints these edges, without shapes and stub labels.
    void paint(const std::vector<std::uint32_t>& edges) const;
    /// Paints the shapes of values beside edges if there is room: at high zoom, or if the edge is highlighted.
    void paintShapes(const std::vector<std::uint32_t>& edges) const;
    /// Paints the target of each stub in a small clickable box.
    void paintStubLabels() const;

private:
    struct Batch;
    std::vector<QPointF> pointsOf(std::uint32_t edge) const;
    void paintFar(const std::vector<std::uint32_t>& edges) const;
    void addCurve(Batch& batch, std::uint32_t edge) const;
    void paintBatch(const Batch& batch, const QColor& color, double width) const;
    void addStub(Batch& batch, std::uint32_t edge) const;
    /// Returns the position for the shape of the edge's value, in view coordinates; empty if there is no room.
    QRectF shapePlace(std::uint32_t edge, const std::string& shape) const;
    void endInArrow(Batch& batch, std::vector<QPointF>& points) const;
    QColor colorOf(EdgeLook look) const;

    const Frame& m_frame;
};

} // namespace ui
