// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

namespace ui {

/// Draws the badges of edges: discs with a letter in the middle of an edge, or at the user's end of a stub.
class BadgePainter {
public:
    static constexpr double kRadius = 8; ///< of a disc at 100 %

    explicit BadgePainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    void paint(const std::vector<std::uint32_t>& edges) const;    ///< Paints the badges of these edges.

    /// Returns the badge of an edge, or null. Edges of groups have no badge.
    static const EdgeBadge* badgeOf(const CanvasState& state, std::uint32_t edge);
    /// Returns the disc of the badge in the view; empty if the edge is too short or the zoom too small.
    static QRectF place(const CanvasState& state, std::uint32_t edge, const Camera& camera);

private:
    const Frame& m_frame;
};

} // namespace ui
