// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/frame.h"

#include <QPainterPath>

namespace ui {

/// How much an edge stands out; drawn in this order.
enum class EdgeLook : std::uint8_t { Dimmed, Plain, Selected, Hovered };
EdgeLook edgeLook(const CanvasState& state, std::uint32_t edge);

/// A labelled end of an edge that is too long to draw: where it sits and where it leads.
struct StubLabel {
    QRectF rect;                 ///< in view coordinates
    QPointF tip, foot;           ///< the short line between node and label
    std::string text;            ///< "↑ mask"
    ItemIndex leadsTo = kNoItem; ///< the item at the other end
};

/// Both ends of a stub edge as drawn through this camera.
std::array<StubLabel, 2> stubLabels(const Scene& scene, const Camera& camera, const CanvasFonts& fonts,
                                    std::uint32_t edge);
/// Whether the edge is drawn as two stubs now: long ones are drawn whole when an end is selected or hovered.
bool isStub(const CanvasState& state, std::uint32_t edge);

/// Draws edges: smooth curves with arrow heads, straight lines when far away, labelled stubs for very long ones.
/// Lines of one look are one path.
class EdgePainter {
public:
    explicit EdgePainter(const Frame& frame)
        : m_frame(frame) {}
    void paint(const std::vector<std::uint32_t>& edges) const;

private:
    struct Batch;
    std::vector<QPointF> pointsOf(std::uint32_t edge) const;
    void paintFar(const std::vector<std::uint32_t>& edges) const;
    void addCurve(Batch& batch, std::uint32_t edge) const;
    void paintBatch(const Batch& batch, const QColor& color, double width) const;
    void paintStub(std::uint32_t edge) const;
    void paintStubLabel(const StubLabel& label, EdgeLook look) const;
    QColor colorOf(EdgeLook look) const;

    const Frame& m_frame;
};

} // namespace ui
