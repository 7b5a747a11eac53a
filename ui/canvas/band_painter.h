// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_bands.h"
#include "ui/canvas/canvas_frame.h"

namespace ui {

/// Draws the bands of a frame and the handles of the cuts between them.
///
///     ▒ (Stage 0 · 11.9 ms)                       a tint over the groups and under everything else; the hatching is
///     ▒                                           a strip along the edge of the view, so that names stay legible
///     ▒────────( ⇕ 2 tensors · 1.2 MB )──────
///     ░ (Stage 1 · 12.4 ms)                       titles stay in sight as long as their band is
class BandPainter {
public:
    explicit BandPainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    /// Paints the bands. Call it before painting edges and nodes.
    void paintBands() const;
    /// Paints the cuts and titles. Call it after painting everything else.
    void paintCuts() const;
    /// Returns the rectangle of a band's title: in the corner where the band or the view begins, or on the other side
    /// of the band if it would cover nodes only in that corner.
    QRectF titleRect(std::size_t band) const;
    /// The handle of a cut, on its line.
    struct Handle {
        QRectF box;
        bool isBrief = false; ///< only the sign, because there is no room for text between nodes and other handles
    };
    /// Returns the handles of all cuts: in the middle of the view if that covers no node and no other handle, else
    /// beside it. Painting and hit tests use the same rectangles.
    static std::vector<Handle> handles(const CanvasBands& bands, const Scene& scene, const CanvasFonts& fonts,
                                       const Camera& camera, const QRectF& view, double scale = 1);

private:
    bool down() const { return flowsDown(m_frame.scene()); }
    static bool flowsDown(const Scene& scene) { return scene.picture().direction == fx::Direction::TopDown; }
    double scale() const { return m_frame.vector ? m_frame.zoom() : 1; }
    /// The visible part of a band; may be empty.
    QRectF bandRect(std::size_t band) const;
    /// True if the picture is so small that a text of this size would cover it.
    bool isMap(const QRectF& text) const {
        return text.width() > m_frame.view.width() || 3 * text.height() > m_frame.view.height();
    }
    bool coversItems(const QRectF& box) const { return coversItems(m_frame.scene(), m_frame.camera, box); }
    static bool coversItems(const Scene& scene, const Camera& camera, const QRectF& box);
    void paintTitle(std::size_t band) const;
    void paintLine(const QPointF& middle, bool isCurrent) const;
    void paintHandle(const Handle& place, const std::string& title, bool isCurrent) const;

    const Frame& m_frame;
};

} // namespace ui
