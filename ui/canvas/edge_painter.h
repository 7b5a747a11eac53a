// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/frame.h"

#include <QPainterPath>

namespace ui {

/// How much an edge stands out; drawn in this order.
enum class EdgeLook : std::uint8_t { Dimmed, Plain, Selected, Hovered };
EdgeLook edgeLook(const CanvasState& state, std::uint32_t edge);

/// Whether the edge is drawn as two stubs now: long ones are drawn whole when an end is selected or hovered.
bool isStub(const CanvasState& state, std::uint32_t edge);

/// Draws edges: smooth curves with arrow heads, straight lines when far away, labelled stubs for very long ones.
/// Lines of one look are one path.
class EdgePainter {
public:
    explicit EdgePainter(const Frame& frame) : m_frame(frame) {}
    void paint(const std::vector<std::uint32_t>& edges) const;
    /// What edges carry, beside them, where there is room: near, or when the edge is looked at.
    void paintShapes(const std::vector<std::uint32_t>& edges) const;
    /// What is at the other end of the stubs, in small boxes that can be clicked.
    void paintStubLabels() const;

private:
    struct Batch;
    std::vector<QPointF> pointsOf(std::uint32_t edge) const;
    void paintFar(const std::vector<std::uint32_t>& edges) const;
    void addCurve(Batch& batch, std::uint32_t edge) const;
    void paintBatch(const Batch& batch, const QColor& color, double width) const;
    void addStub(Batch& batch, std::uint32_t edge) const;
    /// Where the shape that the edge carries can be written, in view coordinates; empty: nowhere.
    QRectF shapePlace(std::uint32_t edge, const std::string& shape) const;
    void endInArrow(Batch& batch, std::vector<QPointF>& points) const;
    QColor colorOf(EdgeLook look) const;

    const Frame& m_frame;
};

} // namespace ui
