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

inline constexpr std::uint32_t kNoEdge = 0xFFFFFFFFu; ///< no edge

/// The displayed scene with its current emphasis.
struct CanvasState {
    /// The emphasis of an item.
    enum Flag : std::uint8_t {
        Selected = 1, ///< a selected node, or a copy of one
        Related = 2,  ///< hovered, or an input or user of the hovered item
        Current = 4,  ///< the keyboard focus
    };
    std::shared_ptr<const Scene> scene;         ///< never null
    std::vector<std::uint8_t> flags;            ///< per item
    ItemIndex hoverItem = kNoItem;              ///< the hovered node or closed group
    std::uint32_t hoverEdge = kNoEdge;          ///< the hovered edge
    std::unordered_set<fx::NodeId> chips;       ///< selected nodes that are only chips
    bool dimOthers = false;                     ///< everything not Related is dimmed
    bool focused = false;                       ///< the widget has the focus
    NodeStyler styler;                          ///< empty: look by kind
    NodeMarker marker;                          ///< empty: no marks
    EdgeBadger badger;                          ///< empty: no badges
    bool hasRegions = false;                    ///< regions are drawn
    std::vector<RegionShares> regionsIn;        ///< with regions: shares in closed groups, by group
    std::unordered_set<std::uint32_t> wayEdges; ///< edges of the displayed path
    std::shared_ptr<const CanvasBands> bands;   ///< null: no bands
    const Transition* transition = nullptr;     ///< null: no animation

    /// True if the item has the flag.
    bool has(ItemIndex item, Flag flag) const { return (flags[item] & flag) != 0; }
};

/// The fonts of the canvas at 100 %, and data kept between frames.
struct CanvasFonts {
    CanvasFonts();                      ///< Takes the current fonts of the application.
    GlyphFont title, label, mono, name; ///< `name`: monospaced, truncated in the middle
    mutable BoxPainter boxes;           ///< cached corners
};

/// A frame being painted: the content, camera and target. Passed to the painters of groups, edges and nodes.
///
/// Painters work in view coordinates (the painter is not scaled), so that lines stay crisp and coordinates stay small
/// in large pictures.
struct Frame {
    QPainter& painter; ///< not scaled
    const CanvasState& state;
    const CanvasFonts& fonts;
    const Theme& theme;
    Camera camera;           ///< from picture to view
    QRectF view;             ///< the part of the view to paint
    double devicePixels = 1; ///< per view pixel
    bool vector = false;     ///< export: everything in full detail, text as text

    const Scene& scene() const { return *state.scene; } ///< The scene of the state.
    double zoom() const { return camera.zoom; }         ///< The zoom of the camera.
    /// True if text of a size (at 100 %) is readable at the current zoom.
    bool readable(double pixelSize) const { return vector || pixelSize * camera.zoom >= 6; }
    /// The current rectangle of an item in picture units, also during a transition.
    fx::Rect rect(ItemIndex item) const { return state.transition ? state.transition->rect(item) : scene().rect(item); }
    /// The current rectangle of an item in the view.
    QRectF screenRect(ItemIndex item) const { return camera.toScreen(rect(item)); }
    /// Returns `color` mixed with the colour of the canvas, for dimmed items.
    QColor dimmed(const QColor& color) const { return mixed(color, theme.canvas, 0.6); }
    /// True if the item is dimmed because other items are emphasised.
    bool isDimmed(ItemIndex item) const { return state.dimOthers && !state.has(item, CanvasState::Related); }
    /// Returns `r` aligned to device pixels.
    QRectF snapped(const QRectF& r) const;
    /// Draws a box: fast on the screen, as shapes in exports.
    void box(const QRectF& r, const BoxLook& look) const;
    /// Draws text at a baseline. `maxWidth` is at 100 %; `scale` 0 means the zoom.
    void text(const GlyphFont& font, std::string_view utf8, QPointF baseline, const QColor& color,
              double maxWidth = 1e9, double scale = 0) const;

    /// Returns `a` with a `part` (0..1) of `b`.
    static QColor mixed(const QColor& a, const QColor& b, double part);
};

} // namespace ui
