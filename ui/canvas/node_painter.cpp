// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/node_painter.h"

#include "ui/canvas/rect_batches.h"
#include "ui/canvas/region_painter.h"

namespace ui {
namespace {

// At 100 %:
constexpr double kRadius = 6, kInset = fx::kNodeStripe + fx::kNodePadding - 2;
constexpr double kTitleBaseline = 18, kTargetBaseline = 35;
constexpr double kNearZoom = 0.7; ///< from here on name and target have a line each
// On the screen:
constexpr double kBorderHeight = 5;   ///< lower boxes are one filled rectangle
constexpr double kRoundedHeight = 14; ///< lower boxes have square corners and are drawn in batches

} // namespace

NodePainter::Look NodePainter::lookOf(ItemIndex item) const {
    const Theme& theme = m_frame.theme;
    const Theme::Role& role = theme.op(m_frame.scene().op(item));
    Look look{role.fill, role.line, theme.text, theme.muted, nullptr};
    const fx::NodeId node = m_frame.scene().node(item).node;
    if (m_frame.state.styler) look.style = m_frame.state.styler(node);
    if (m_frame.state.problemStyler)
        if (const NodeStyle* const problem = m_frame.state.problemStyler(node)) look.style = problem;
    if (look.style && look.style->fill.isValid()) look.fill = look.style->fill;
    if (look.style && look.style->line.isValid()) look.line = look.style->line;
    if (look.style && look.style->fill.isValid())
        look.text = readableOn(look.fill, theme.text), look.muted = readableOn(look.fill, theme.muted);
    if (m_frame.isDimmed(item) || (look.style && look.style->faint)) {
        for (QColor* color : {&look.fill, &look.line, &look.text, &look.muted}) *color = m_frame.dimmed(*color);
    }
    return look;
}

void NodePainter::paint(const std::vector<ItemIndex>& nodes) const {
    // The usual height of a node decides for all, so that a view has one level of detail.
    const double height = fx::kNodeHeight * m_frame.zoom();
    if (!m_frame.vector && height < kRoundedHeight) {
        // The usual case of the overview of a large graph gets the shortest way.
        const bool plain =
            height < kBorderHeight && !m_frame.state.styler && !m_frame.state.problemStyler && !m_frame.state.dimOthers;
        plain ? paintPlain(nodes) : paintBatched(nodes);
        return;
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    for (ItemIndex item : nodes) paintNode(item);
}

void NodePainter::paintPlain(const std::vector<ItemIndex>& nodes) const {
    std::array<QVector<QRect>, 6> boxes;
    QVector<QRect> selected;
    for (ItemIndex item : nodes) {
        const QRect box = farBox(item);
        boxes[std::size_t(m_frame.scene().op(item))].push_back(box);
        if (m_frame.state.has(item, CanvasState::Selected)) selected.push_back(box.adjusted(-1, -1, 1, 1));
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
    m_frame.painter.setPen(Qt::NoPen);
    for (std::size_t op = 0; op < boxes.size(); ++op) {
        const Theme::Role& role = m_frame.theme.ops[op];
        m_frame.painter.setBrush(Frame::mixed(role.fill, role.line, 0.55));
        m_frame.painter.drawRects(boxes[op]);
    }
    m_frame.painter.setBrush(m_frame.theme.accent);
    m_frame.painter.drawRects(selected);
}

QRect NodePainter::farBox(ItemIndex item) const {
    const QRectF r = m_frame.screenRect(item);
    return {qFloor(r.x()), qFloor(r.y()), std::max(1, qRound(r.width())), std::max(1, qRound(r.height()))};
}

void NodePainter::paintBatched(const std::vector<ItemIndex>& nodes) const {
    // By colour, one call each: borders or whole boxes, then fillings. What is selected gets a frame below.
    const bool bordered = fx::kNodeHeight * m_frame.zoom() >= kBorderHeight;
    RectBatches below, above;
    QVector<QRect> selected;
    for (ItemIndex item : nodes) {
        const QRect box = farBox(item);
        if (m_frame.state.has(item, CanvasState::Selected)) selected.push_back(box.adjusted(-2, -2, 2, 2));
        const Look look = lookOf(item);
        below.add(bordered ? look.line : Frame::mixed(look.fill, look.line, 0.55), box);
        if (bordered) above.add(look.fill, box.adjusted(2, 1, -1, -1));
    }
    QPainter& painter = m_frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_frame.theme.accent);
    painter.drawRects(selected);
    below.draw(painter);
    above.draw(painter);
    painter.setRenderHint(QPainter::Antialiasing, true);
    if (bordered)
        for (ItemIndex item : nodes) texts(m_frame.scene().node(item), m_frame.screenRect(item), lookOf(item));
}

void NodePainter::paintNode(ItemIndex item) const {
    const Look look = lookOf(item);
    const fx::NodeItem& node = m_frame.scene().node(item);
    const QRectF r = m_frame.snapped(m_frame.screenRect(item));
    const double presence = m_frame.state.transition ? m_frame.state.transition->presence(item) : 1;
    m_frame.painter.setOpacity(presence);
    box(r, look, node.copy > 0);
    if (look.style && look.style->hatch >= 0) {
        QColor line = look.line;
        line.setAlpha(90);
        m_frame.painter.setPen(Qt::NoPen);
        m_frame.painter.setBrush(QBrush(line, kHatchings[std::size_t(look.style->hatch % 8)]));
        m_frame.painter.drawRoundedRect(r, kRadius * m_frame.zoom(), kRadius * m_frame.zoom());
    }
    if (r.width() > 0.8 * node.rect.w * m_frame.zoom()) texts(node, r, look);
    const bool selected = m_frame.state.has(item, CanvasState::Selected);
    if (selected || (look.style && look.style->marked)) outline(r, selected);
    if (!selected && m_frame.state.has(item, CanvasState::Current) && m_frame.state.focused) outline(r, false);
    m_frame.painter.setOpacity(1);
}

void NodePainter::box(const QRectF& r, const Look& look, bool copy) const {
    const double s = m_frame.zoom();
    BoxLook box{look.fill, look.line, std::min({kRadius * s, r.width() / 2, r.height() / 2}), m_frame.vector ? s : 1.0,
                std::min(std::max(2.0, fx::kNodeStripe * s), r.width())};
    if (!copy) {
        m_frame.box(r, box);
        return;
    }
    // A hub drawn again at its use.
    box.fill = Frame::mixed(look.fill, m_frame.theme.canvas, 0.4);
    box.stripe = 0, box.radius = r.height() / 2;
    BoxPainter::drawShapes(m_frame.painter, r, box, Qt::DashLine);
}

void NodePainter::texts(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom();
    if (node.copy > 0) copyTitle(node, r, look);
    else if (!m_frame.vector && s < kNearZoom) oneLine(node, r, look);
    else {
        titleLine(node, r, look);
        targetLine(node, r, look);
        chips(node, r, look);
    }
}

/// The name in the middle, larger than to scale as long as the box has room.
void NodePainter::oneLine(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom(), pixels = std::max(13 * s, std::min(r.height() * 0.55, 9.0)), scale = pixels / 13;
    if (pixels < 6.5) return;
    const QPointF baseline(r.left() + std::max(6.0, kInset * s), r.center().y() + pixels * 0.36);
    const double right = r.right() - 4;
    m_frame.text(m_frame.fonts.title, node.title, baseline, look.text, (right - baseline.x()) / scale, scale);
    if (look.style && look.style->struck)
        strike(baseline.x(), std::min(right, baseline.x() + m_frame.fonts.title.width(node.title) * scale),
               r.center().y(), look);
}

void NodePainter::copyTitle(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom();
    if (m_frame.readable(10))
        m_frame.text(m_frame.fonts.mono, node.title, {r.left() + 8 * s, r.center().y() + 4 * s}, look.text,
                     node.rect.w - 14);
}

void NodePainter::titleLine(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const CanvasFonts& fonts = m_frame.fonts;
    const double s = m_frame.zoom(), left = r.left() + kInset * s, baseline = r.top() + kTitleBaseline * s;
    const double width = node.rect.w - kInset - fx::kNodePadding;
    const double shapeWidth = node.shape.empty() ? 0 : fonts.mono.width(node.shape);
    // The name goes before the shape, but leaves it a little.
    const double room = shapeWidth > 0 ? std::max(width - shapeWidth - 8, width * 0.55) : width;
    const double titleWidth = std::min(fonts.title.width(node.title), room);
    m_frame.text(fonts.title, node.title, {left, baseline}, look.text, room);
    if (look.style && look.style->struck) strike(left, left + titleWidth * s, baseline - 4.5 * s, look);
    const double shapeRoom = std::min(shapeWidth, width - titleWidth - 8);
    m_frame.text(fonts.mono, node.shape, {r.right() - (fx::kNodePadding + shapeRoom) * s, baseline}, look.muted,
                 shapeRoom + 0.5);
}

void NodePainter::targetLine(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom(), baseline = r.top() + kTargetBaseline * s;
    double room = node.rect.w - kInset - fx::kNodePadding;
    if (look.style && !look.style->badge.empty()) {
        constexpr double kSmall = 0.85;
        const double width = m_frame.fonts.title.width(look.style->badge) * kSmall;
        const QColor color = look.style->badgeColor.isValid() ? look.style->badgeColor : look.line;
        m_frame.text(m_frame.fonts.title, look.style->badge, {r.right() - (fx::kNodePadding + width) * s, baseline},
                     color, 1e9, kSmall * s);
        room -= width + 8;
    }
    m_frame.text(m_frame.fonts.mono, node.subtitle, {r.left() + kInset * s, baseline}, look.muted, room);
}

void NodePainter::strike(double left, double right, double y, const Look& look) const {
    m_frame.painter.setPen(QPen(look.line, std::max(1.0, 1.5 * m_frame.zoom())));
    m_frame.painter.drawLine(QPointF(left, y), QPointF(right, y));
}

std::vector<fx::Rect> NodePainter::chipRects(const fx::NodeItem& node, const CanvasFonts& fonts) {
    std::vector<fx::Rect> rects;
    double x = kInset;
    for (const std::string& chip : node.chips) {
        const double width = fonts.mono.width(chip) + 12;
        if (x + width > node.rect.w - 4) break;
        rects.push_back({x, fx::kNodeHeight - 2, width, 16});
        x += width + 6;
    }
    return rects;
}

/// Parameters and constants folded into their user: small boxes in a row at the bottom.
void NodePainter::chips(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom();
    const Theme::Role& role = m_frame.theme.op(fx::Op::GetAttr);
    const std::vector<fx::Rect> rects = chipRects(node, m_frame.fonts);
    for (std::size_t i = 0; i < rects.size(); ++i) {
        const QRectF box(r.left() + rects[i].x * s, r.top() + rects[i].y * s, rects[i].w * s, rects[i].h * s);
        const bool selected = i < node.chipNodes.size() && m_frame.state.chips.contains(node.chipNodes[i]);
        m_frame.box(box, {role.fill, selected ? m_frame.theme.accent : role.line, 4 * s, selected ? 2.0 : 1.0});
        m_frame.text(m_frame.fonts.mono, node.chips[i], {box.left() + 6 * s, box.top() + 12 * s}, m_frame.theme.text);
    }
    if (rects.size() == node.chips.size()) return;
    const double end = rects.empty() ? kInset : rects.back().right() + 6;
    m_frame.text(m_frame.fonts.mono, "…", {r.left() + end * s, r.top() + (fx::kNodeHeight + 10) * s}, look.muted);
}

void NodePainter::outline(const QRectF& r, bool strong) const {
    const double gap = std::clamp(3.5 * m_frame.zoom(), 1.5, 5.0), radius = kRadius * m_frame.zoom() + gap;
    m_frame.painter.setPen(QPen(m_frame.theme.accent, strong ? 2.4 : 1.2));
    m_frame.painter.setBrush(Qt::NoBrush);
    m_frame.painter.drawRoundedRect(r.adjusted(-gap, -gap, gap, gap), radius, radius);
}

void NodePainter::paintGhost(const fx::NodeItem& node, fx::Op op, const QRectF& r, double presence) const {
    const Theme::Role& role = m_frame.theme.op(op);
    m_frame.painter.setOpacity(presence);
    box(m_frame.snapped(r), {role.fill, role.line, m_frame.theme.text, m_frame.theme.muted, nullptr}, node.copy > 0);
    m_frame.painter.setOpacity(1);
}

} // namespace ui
