// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

#include <QPainterPath>

#include <array>
#include <unordered_map>

namespace ui {

/// The hatchings for Theme::partitions.
inline constexpr std::array<Qt::BrushStyle, 8> kHatchings = {Qt::BDiagPattern,  Qt::FDiagPattern, Qt::HorPattern,
                                                             Qt::VerPattern,    Qt::CrossPattern, Qt::DiagCrossPattern,
                                                             Qt::Dense6Pattern, Qt::Dense7Pattern};

/// Draws the hulls of regions: their boxes and the edges between these, widened until they touch.
///
///     ╭ partition 0 ─────────╮
///     │//┌────┐//////┌────┐//│       the union is never computed: all in the line colour, then all a little
///     │//│conv│══════│relu│//│       smaller in the fill colour, then the hatching, which lines up with
///     ╰──└────┘──────└────┘──╯       itself
class RegionPainter {
public:
    explicit RegionPainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    /// Paints the hulls of the regions of these items.
    void paint(const std::vector<ItemIndex>& nodes, const std::vector<ItemIndex>& groups,
               const std::vector<std::uint32_t>& edges) const;
    /// Paints the names of the regions of the last `paint`, each at the upper left of its region.
    void paintNames() const;

private:
    struct Hull {
        const NodeRegion* region = nullptr;
        std::vector<QRectF> boxes;
        QPainterPath ways;
        QRectF first; ///< the box nearest to the upper left
    };
    const NodeRegion* regionOf(ItemIndex item) const;
    Hull& hullOf(const NodeRegion* region) const;
    void addEdge(std::uint32_t edge) const;
    void paintHull(const Hull& hull) const;
    void paintHatchedHull(const Hull& hull, const QTransform& smaller, double margin, const QColor& color) const;
    void paintFar(const Hull& hull) const;

    const Frame& m_frame;
    mutable std::vector<Hull> m_hulls; ///< in the order in which they were found
    mutable std::unordered_map<const NodeRegion*, std::size_t> m_places;
};

} // namespace ui
