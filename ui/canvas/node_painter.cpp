// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/node_painter.h"

#include "ui/canvas/rect_batches.h"

namespace ui {
namespace {

// At 100 %:
constexpr double kUsualHeight = 46, kRadius = 6, kStripe = 4, kInset = 14;
constexpr double kNearZoom = 0.7; ///< from here on name and target have a line each
constexpr double kOneLine = 34;   ///< lower boxes hold the name only
// On the screen:
constexpr double kBorderHeight = 5;   ///< lower boxes are one filled rectangle
constexpr double kRoundedHeight = 14; ///< lower boxes have square corners and are drawn in batches

constexpr Qt::BrushStyle kHatchings[] = {Qt::BDiagPattern, Qt::FDiagPattern,     Qt::HorPattern,    Qt::VerPattern,
                                         Qt::CrossPattern, Qt::DiagCrossPattern, Qt::Dense6Pattern, Qt::Dense7Pattern};

} // namespace

NodePainter::Look NodePainter::lookOf(ItemIndex item) const {
    const Theme& theme = m_frame.theme;
    const Theme::Role& role = theme.op(m_frame.scene().op(item));
    Look look{role.fill, role.line, theme.text, theme.muted, nullptr};
    if (m_frame.state.styler) look.style = m_frame.state.styler(m_frame.scene().node(item).node);
    if (look.style && look.style->fill.isValid()) look.fill = look.style->fill;
    if (look.style && look.style->line.isValid()) look.line = look.style->line;
    if (look.style && look.style->fill.isValid() && contrastRatio(theme.text, look.fill) < 4.5)
        look.text = look.muted =
            contrastRatio(Qt::white, look.fill) > contrastRatio(Qt::black, look.fill) ? Qt::white : Qt::black;
    if (m_frame.isDimmed(item) || (look.style && look.style->faint)) {
        for (QColor* color : {&look.fill, &look.line, &look.text, &look.muted}) *color = m_frame.dimmed(*color);
    }
    return look;
}

void NodePainter::paint(const std::vector<ItemIndex>& nodes) const {
    // The usual height of a node decides for all, so that a view has one level of detail.
    const double height = kUsualHeight * m_frame.zoom();
    if (!m_frame.vector && height < kRoundedHeight) {
        // The usual case of the overview of a large graph gets the shortest way.
        const bool plain = height < kBorderHeight && !m_frame.state.styler && !m_frame.state.dimOthers;
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
    const bool bordered = kUsualHeight * m_frame.zoom() >= kBorderHeight;
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
        m_frame.painter.setBrush(QBrush(line, kHatchings[look.style->hatch % 8]));
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
                std::min(std::max(2.0, kStripe * s), r.width())};
    if (!copy) {
        m_frame.box(r, box);
        return;
    }
    box.fill = Frame::mixed(look.fill, m_frame.theme.canvas, 0.5); // a hub drawn again at its use
    BoxPainter::drawShapes(m_frame.painter, r, box, Qt::DashLine);
}

void NodePainter::texts(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom();
    const bool twoLines = (m_frame.vector || s >= kNearZoom) && node.rect.h >= kOneLine;
    const CanvasFonts& fonts = m_frame.fonts;
    if (!twoLines) {
        // One line in the middle, larger than to scale as long as the box has room.
        const double pixels = std::max(13 * s, std::min({r.height() * 0.55, 9.0}));
        if (pixels < 6.5 && !m_frame.vector) return;
        const double scale = pixels / 13;
        const QPointF baseline(r.left() + std::max(6.0, kInset * s), r.center().y() + pixels * 0.36);
        m_frame.text(fonts.title, node.title, baseline, look.text, (r.right() - baseline.x() - 4) / scale, scale);
        return;
    }
    const double left = r.left() + kInset * s, width = node.rect.w - kInset - 10;
    const double middle = node.chips.empty() ? node.rect.h / 2 : std::min(node.rect.h / 2, 23.0);
    const double shapeWidth = node.shape.empty() ? 0 : fonts.mono.width(node.shape);
    const double titleRoom = std::max(width - (shapeWidth > 0 ? shapeWidth + 8 : 0), width * 0.45);
    m_frame.text(fonts.title, node.title, {left, r.top() + (middle - 4) * s}, look.text, titleRoom);
    if (look.style && look.style->struck) {
        const double across = std::min(fonts.title.width(node.title), titleRoom) * s, y = r.top() + (middle - 8.5) * s;
        m_frame.painter.setPen(QPen(look.line, std::max(1.0, 1.5 * s)));
        m_frame.painter.drawLine(QPointF(left, y), QPointF(left + across, y));
    }
    const double titleWidth = std::min(fonts.title.width(node.title), titleRoom);
    const double shapeRoom = width - titleWidth - 8;
    m_frame.text(fonts.mono, node.shape,
                 {r.right() - (10 + std::min(shapeWidth, shapeRoom)) * s, r.top() + (middle - 4.5) * s}, look.muted,
                 shapeRoom);
    double subtitleRoom = width;
    if (look.style && !look.style->badge.empty()) {
        const double badgeWidth = fonts.title.width(look.style->badge) * 0.85;
        const QColor color = look.style->badgeColor.isValid() ? look.style->badgeColor : look.line;
        m_frame.text(fonts.title, look.style->badge, {r.right() - (10 + badgeWidth) * s, r.top() + (middle + 13) * s},
                     color, 1e9, 0.85 * s);
        subtitleRoom -= badgeWidth + 8;
    }
    m_frame.text(fonts.mono, node.subtitle, {left, r.top() + (middle + 13) * s}, look.muted, subtitleRoom);
    chips(node, r, look);
}

/// Parameters and constants folded into their user: small pills in a row at the bottom.
void NodePainter::chips(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom(), bottom = r.bottom() - 7 * s, height = 15 * s;
    if (node.chips.empty() || node.rect.h < 56) return;
    double x = r.left() + kInset * s;
    const Theme::Role& role = m_frame.theme.op(fx::Op::GetAttr);
    for (const std::string& chip : node.chips) {
        const double width = (m_frame.fonts.mono.width(chip) * 0.92 + 12) * s;
        if (x + width > r.right() - 8 * s) {
            m_frame.text(m_frame.fonts.mono, "…", {x, bottom - 4 * s}, look.muted);
            return;
        }
        const QRectF pill = m_frame.snapped({x, bottom - height, width, height});
        m_frame.box(pill, {role.fill, role.line, height / 2});
        m_frame.text(m_frame.fonts.mono, chip, {pill.left() + 6 * s, pill.bottom() - 4.2 * s}, m_frame.theme.text, 1e9,
                     0.92 * s);
        x += width + 4 * s;
    }
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
