// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_bands.h"
#include "ui/canvas/frame.h"

namespace ui {

/// Draws the bands of a frame and the handles of the cuts between them.
///
///     ▒ (Stage 0 · 11.9 ms)                       a tint over the groups and under everything else; the hatching is
///     ▒                                           a strip along the edge of the view, so that names stay legible
///     ▒────────( ⇕ 2 tensors · 1.2 MB )──────
///     ░ (Stage 1 · 12.4 ms)                       titles stay in sight as long as their band is
class BandPainter {
public:
    explicit BandPainter(const Frame& frame) : m_frame(frame) {}
    /// Under edges and nodes.
    void paintBands() const;
    /// Over everything.
    void paintCuts() const;
    /// Of its title: in the corner where the band begins, or where the view does; on the other side of the band if it
    /// would cover nodes there but not on that side.
    QRectF titleRect(std::size_t band) const;
    /// The handle of a cut, on its line.
    struct Handle {
        QRectF box;
        bool isBrief = false; ///< its sign only: where nothing else has room between nodes and other handles
    };
    /// The handles of all cuts: in the middle of the view if that covers no node and no other handle, else beside it.
    /// Painted and hit in the same places.
    static std::vector<Handle> handles(const CanvasBands& bands, const Scene& scene, const CanvasFonts& fonts,
                                       const Camera& camera, const QRectF& view, double scale = 1);

private:
    bool down() const { return flowsDown(m_frame.scene()); }
    static bool flowsDown(const Scene& scene) { return scene.picture().direction == fx::Direction::TopDown; }
    double scale() const { return m_frame.vector ? m_frame.zoom() : 1; }
    /// The part of the view that a band takes; may be empty.
    QRectF bandRect(std::size_t band) const;
    /// Whether the picture is so small that a text of this size would cover it.
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
