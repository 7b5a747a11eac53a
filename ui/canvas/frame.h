// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/box_painter.h"
#include "ui/canvas/camera.h"
#include "ui/canvas/glyph_font.h"
#include "ui/canvas/transition.h"
#include "ui/scene/node_style.h"
#include "ui/scene/scene.h"
#include "ui/widgets/theme.h"

#include <QPainter>

#include <unordered_set>

namespace ui {

struct CanvasBands;

inline constexpr std::uint32_t kNoEdge = 0xFFFFFFFFu;

/// The current emphasis in a scene.
struct CanvasState {
    enum Flag : std::uint8_t {
        Selected = 1, ///< a selected node, or a copy of one
        Related = 2,  ///< hovered, or an input or user of the hovered item
        Current = 4,  ///< the keyboard focus
    };
    std::shared_ptr<const Scene> scene;
    std::vector<std::uint8_t> flags; ///< per item
    ItemIndex hoverItem = kNoItem;
    std::uint32_t hoverEdge = kNoEdge;
    std::unordered_set<fx::NodeId> chips; ///< selected nodes that are only chips
    bool dimOthers = false;               ///< everything not Related is dimmed
    bool focused = false;                 ///< the widget has the focus
    NodeStyler styler;
    NodeMarker marker;
    EdgeBadger badger;
    bool hasRegions = false;
    std::vector<RegionShares> regionsIn;        ///< with regions: shares in closed groups, by group
    std::unordered_set<std::uint32_t> wayEdges; ///< edges of the displayed path
    std::shared_ptr<const CanvasBands> bands;   ///< null for none
    const Transition* transition = nullptr;

    bool has(ItemIndex item, Flag flag) const { return (flags[item] & flag) != 0; }
};

/// The fonts of the canvas at 100 %, and data kept between frames.
struct CanvasFonts {
    CanvasFonts();
    GlyphFont title, label, mono, name; ///< name: monospaced, cut in the middle
    mutable BoxPainter boxes;
};

/// A frame being painted: the content, camera and target. Passed to the painters of groups, edges and nodes.
///
/// Painters work in view coordinates (the painter is not scaled), so that lines stay crisp and coordinates stay small
/// in large pictures.
struct Frame {
    QPainter& painter;
    const CanvasState& state;
    const CanvasFonts& fonts;
    const Theme& theme;
    Camera camera;
    QRectF view;             ///< the part of the view to paint
    double devicePixels = 1; ///< per view pixel
    bool vector = false;     ///< export: everything in full detail, text as text

    const Scene& scene() const { return *state.scene; }
    double zoom() const { return camera.zoom; }
    /// Whether text of a size (at 100 %) is readable at the current zoom.
    bool readable(double pixelSize) const { return vector || pixelSize * camera.zoom >= 6; }
    fx::Rect rect(ItemIndex item) const { return state.transition ? state.transition->rect(item) : scene().rect(item); }
    QRectF screenRect(ItemIndex item) const { return camera.toScreen(rect(item)); }
    /// `color` for dimmed items.
    QColor dimmed(const QColor& color) const { return mixed(color, theme.canvas, 0.6); }
    bool isDimmed(ItemIndex item) const { return state.dimOthers && !state.has(item, CanvasState::Related); }
    /// `r` aligned to device pixels.
    QRectF snapped(const QRectF& r) const;
    void box(const QRectF& r, const BoxLook& look) const;
    void text(const GlyphFont& font, std::string_view utf8, QPointF baseline, const QColor& color,
              double maxWidth = 1e9, double scale = 0) const;

    static QColor mixed(const QColor& a, const QColor& b, double part);
};

} // namespace ui
