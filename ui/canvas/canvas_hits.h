// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

#include <utility>

namespace ui {

/// Hit tests: what is at a position of a view that shows a scene with a camera. A short-lived value that refers to its
/// arguments.
class CanvasHits {
public:
    static constexpr double kEdgeReach = 5; ///< distance in pixels within which an edge is hit

    /// `view` is the rectangle of the widget. The other arguments must outlive the object.
    CanvasHits(const CanvasState& state, const CanvasFonts& fonts, const Camera& camera, const QRectF& view)
        : m_state(state), m_fonts(fonts), m_camera(camera), m_view(view) {}

    fx::Point worldAt(QPointF at) const; ///< Converts a position to world coordinates.
    /// Returns the node or group at a position, or kNoItem.
    ItemIndex itemAt(QPointF at) const { return m_state.scene->itemAt(worldAt(at)); }
    /// Returns the nearest edge within `reach`, or kNoEdge. Edges cannot be hit at low zoom.
    std::uint32_t edgeAt(QPointF at, double reach = kEdgeReach) const;
    /// Returns the node whose box is nearest to a position, within `reach` pixels, or kNoNode.
    fx::NodeId nodeNear(QPointF at, double reach) const;
    /// Returns the node or closed group, or else the edge, that would be highlighted at a position.
    std::pair<ItemIndex, std::uint32_t> hoverableAt(QPointF at) const;
    /// Returns the edge whose badge is at a position, or kNoEdge.
    std::uint32_t badgeAt(QPointF at) const;
    /// Returns the node whose chip is at a position, or kNoNode.
    fx::NodeId chipAt(QPointF at) const;
    /// Returns the target of the stub label at a position, or kNoItem.
    ItemIndex stubTargetAt(QPointF at) const;
    /// True if the position is on the chevron of the group.
    bool isOnChevron(ItemIndex item, QPointF at) const;
    /// Returns the cut at a position, or -1. Its handle counts before its line, which nodes and closed groups cover.
    int cutAt(QPointF at) const;
    QRectF cutHandle(std::size_t cut) const; ///< Returns the handle of an existing cut.

private:
    const CanvasState& m_state;
    const CanvasFonts& m_fonts;
    const Camera& m_camera;
    QRectF m_view;
};

} // namespace ui
