// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/frame.h"

namespace ui {

/// Draws nodes:
///
///     ┃ name            64×56×56      near: everything
///     ┃ self.layer1(x)    refused     mid: the name in one line     far: a filled rectangle
class NodePainter {
public:
    explicit NodePainter(const Frame& frame)
        : m_frame(frame) {}
    void paint(const std::vector<ItemIndex>& nodes) const;
    /// A node of another scene at a box of its own, fading: what disappears in a transition.
    void paintGhost(const fx::NodeItem& node, fx::Op op, const QRectF& box, double presence) const;

private:
    struct Look {
        QColor fill, line, text, muted;
        const NodeStyle* style = nullptr;
    };
    Look lookOf(ItemIndex item) const;
    void paintPlain(const std::vector<ItemIndex>& nodes) const;
    QRect farBox(ItemIndex item) const;
    void paintBatched(const std::vector<ItemIndex>& nodes) const;
    void paintNode(ItemIndex item) const;
    void box(const QRectF& r, const Look& look, bool copy) const;
    void texts(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    void chips(const fx::NodeItem& node, const QRectF& r, const Look& look) const;
    void outline(const QRectF& r, bool strong) const;

    const Frame& m_frame;
};

} // namespace ui
