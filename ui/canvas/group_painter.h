// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

#include <QCoreApplication>

#include <optional>

namespace ui {

/// Draws groups: titled boxes with a chevron if open, cards with a summary if closed; at low zoom, the names of large
/// open groups where they cover no nodes.
///
///     ╭ ▾ layer1.0  BasicBlock          6 nodes ╮        ╭ ▸ layer1.1                ╮
///     │                                         │        │ BasicBlock · same as …    │
class GroupPainter {
    Q_DECLARE_TR_FUNCTIONS(ui::GroupPainter)
public:
    explicit GroupPainter(const Frame& frame) : m_frame(frame) {} ///< `frame` must outlive the painter.
    /// Paints boxes and cards, without the titles of open groups.
    void paint(const std::vector<ItemIndex>& groups) const;
    /// Paints the titles of open groups. Call it after painting the edges.
    void paintHeaders(const std::vector<ItemIndex>& groups) const;
    /// Paints the names of groups whose header is too small to read, beside the nodes.
    void paintFarNames(const std::vector<ItemIndex>& groups) const;
    /// Returns the clickable area that opens or closes the group, in view coordinates.
    static QRectF chevronRect(const fx::GroupItem& group, const Camera& camera);
    /// Returns the header of an open group, in view coordinates.
    static QRectF headerRect(const fx::GroupItem& group, const Camera& camera);

private:
    struct Look {
        QColor fill, line;
        bool accent = false;
    };
    Look lookOf(ItemIndex item) const;
    QColor shade(ItemIndex item, const QColor& color) const;
    void paintBatched(const std::vector<ItemIndex>& groups) const;
    void paintGroup(ItemIndex item) const;
    void header(ItemIndex item, const QRectF& r) const;
    void card(ItemIndex item, const QRectF& r) const;
    void regionBar(ItemIndex item, const QRectF& r) const;
    std::string detailsOf(ItemIndex item, double width) const;
    void chevron(QPointF middle, bool open, const QColor& color) const;
    double headerScale() const;
    bool hasHeaders() const;
    std::optional<QRectF> farPlace(ItemIndex item, QSizeF size, const std::vector<QRectF>& taken) const;
    QString countText(const fx::GroupItem& group) const;

    const Frame& m_frame;
};

} // namespace ui
