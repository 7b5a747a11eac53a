// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/frame.h"

namespace ui {

/// Draws the badges of edges: discs with a letter in the middle of an edge, at the user's end of a stub.
class BadgePainter {
public:
    explicit BadgePainter(const Frame& frame) : m_frame(frame) {}
    void paint(const std::vector<std::uint32_t>& edges) const;

    /// The badge of an edge, or null. Edges of groups have none.
    static const EdgeBadge* badgeOf(const CanvasState& state, std::uint32_t edge);
    /// Its disc in the view; empty where the edge is too short or the zoom too small.
    static QRectF place(const CanvasState& state, std::uint32_t edge, const Camera& camera);

private:
    const Frame& m_frame;
};

} // namespace ui
