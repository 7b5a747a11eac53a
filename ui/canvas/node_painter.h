// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

namespace ui {

/// Draws nodes:
///
///     ┃ conv1           64×56×56      high zoom: everything
///     ┃ ▣ Conv2d 3→64 7×7     1/9     mid: what it does in one line     far: a filled rectangle
class NodePainter {
public:
    explicit NodePainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    void paint(const std::vector<ItemIndex>& nodes) const;       ///< Paints these nodes.
    /// True for the overview of a large graph, in which nodes are only rectangles in the colours of their kinds.
    bool isPlain() const;
    /// Paints the nodes in view directly from the index if `isPlain`. Returns their number.
    std::size_t paintPlain() const;
    /// Paints a fading node of another scene in its own box, for nodes that disappear in a transition.
    void paintGhost(const fx::NodeItem& node, fx::Op op, const QRectF& box, double presence) const;

    /// Returns the rectangles of a node's chips, in picture units relative to its corner; omits chips without room.
    static std::vector<fx::Rect> chipRects(const fx::NodeItem& node, const CanvasFonts& fonts);

private:
    struct Look {
        QColor fill, line, text, muted;
        const NodeStyle* style = nullptr;
        const NodeMark* mark = nullptr;
    };
    Look lookOf(ItemIndex item) const;
    static QRect farBox(const QRectF& r);
    void paintBatched(const std::vector<ItemIndex>& nodes) const;
    void paintNode(ItemIndex item) const;
    void box(const QRectF& r, const Look& look, bool copy) const;
    void texts(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    double pixels(double atFullZoom, double least, double room) const;
    void oneLine(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    double drawWhat(const fx::NodeItem& node, QPointF baseline, const Look& look, double room, double scale) const;
    void copyTitle(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    double badgeWidth(const Look& look, double scale) const;
    bool badgeFitsBesideWhat(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    void drawBadge(QPointF end, const Look& look, double scale) const;
    void nameLine(const fx::NodeItem& node, const QRectF& r, const Look& look, bool badgeBelow) const;
    void whatLine(const fx::NodeItem& node, const QRectF& r, const Look& look, bool badge) const;
    void familyMark(fx::ops::Family family, QPointF corner, const Look& look) const;
    QColor colourOf(NodeMark::Kind kind) const;
    void mark(const QRectF& r, const NodeMark& mark) const;
    void strike(double left, double right, double y, const Look& look) const;
    void chips(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    void outline(const QRectF& r, bool strong) const;

    const Frame& m_frame;
};

} // namespace ui
