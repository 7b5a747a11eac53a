// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/node_painter.h"

#include "core/layout/family_mark.h"
#include "ui/canvas/hatching.h"
#include "ui/canvas/rect_batches.h"
#include "ui/canvas/region_painter.h"

namespace ui {
namespace {

// At 100 %:
constexpr double kRadius = 6, kInset = fx::kNodeStripe + fx::kNodePadding - 2;
constexpr double kNameBaseline = 17, kWhatBaseline = 35;
constexpr double kNamePixels = 11, kWhatPixels = 13;
constexpr double kNearZoom = 0.55; ///< from here on the name and what the node does have a line each
// On the screen:
constexpr double kLeastName = 8, kLeastWhat = 9;         ///< texts are not smaller, unless the box is too low
constexpr double kLeastDrawn = 8;                        ///< smaller texts are left out
constexpr double kTellingPart = 0.55;                    ///< of a text: less of it is left out
constexpr double kSmallestWhat = 7.5, kMostShrunk = 0.8; ///< what a text is made smaller to, to fit its box
constexpr double kBorderHeight = 5;                      ///< lower boxes are one filled rectangle
constexpr double kRoundedHeight = 14;                    ///< lower boxes have square corners and are drawn in batches

constexpr double kSmallBadge = 0.85; ///< of the size of what the node does

const std::string kUnknown = "?";

/// The least that says what a node does: "addmm" of "aten.addmm(1, 2)".
std::string_view shortestWhat(const fx::NodeItem& node) {
    const std::string_view brief = std::string_view(node.what).substr(0, node.brief);
    return brief.find(' ') == brief.npos ? brief.substr(brief.rfind('.') + 1) : brief;
}

/// How small what a node does may become to fit its box.
double leastScaleOfWhat(double scale) {
    return std::min(scale, std::max(kSmallestWhat / kWhatPixels, kMostShrunk * scale));
}

} // namespace

NodePainter::Look NodePainter::lookOf(ItemIndex item) const {
    const Theme& theme = m_frame.theme;
    const Theme::Role& role = theme.op(m_frame.scene().op(item));
    Look look{role.fill, role.line, theme.text, theme.muted};
    const fx::NodeId node = m_frame.scene().node(item).node;
    if (m_frame.state.styler) look.style = m_frame.state.styler(node);
    if (m_frame.state.marker && m_frame.scene().node(item).copy == 0) look.mark = m_frame.state.marker(node);
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
        paintBatched(nodes);
        return;
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    for (ItemIndex item : nodes) paintNode(item);
}

bool NodePainter::isPlain() const {
    const CanvasState& state = m_frame.state;
    return !m_frame.vector && fx::kNodeHeight * m_frame.zoom() < kBorderHeight && !state.styler && !state.marker &&
           !state.dimOthers && !state.transition;
}

/// A million boxes of a pixel or so: into an image, since each rectangle that a QPainter is given costs ten times that.
std::size_t NodePainter::paintPlain() const {
    const QRect area = m_frame.view.toAlignedRect();
    QImage image(area.size(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    auto* const pixels = reinterpret_cast<QRgb*>(image.bits());
    const auto fill = [&](const QRect& box, QRgb colour) {
        const QRect visible = box.intersected(area).translated(-area.topLeft());
        for (int y = visible.top(); y <= visible.bottom(); ++y)
            std::fill_n(pixels + std::ptrdiff_t(y) * image.width() + visible.left(), visible.width(), colour);
    };
    std::array<QRgb, 6> colours;
    std::transform(m_frame.theme.ops.begin(), m_frame.theme.ops.end(), colours.begin(),
                   [](const Theme::Role& role) { return Frame::mixed(role.fill, role.line, 0.55).rgb(); });
    std::vector<QRect> selected;
    std::size_t count = 0;
    // What the index hands out lies in memory one after the other; Scene::rect() would wait for it at each node.
    m_frame.scene().nodeGrid().query(m_frame.camera.toWorld(m_frame.view), 0,
                                     [&](ItemIndex item, const fx::Rect& rect) {
                                         ++count;
                                         const QRect box = farBox(m_frame.camera.toScreen(rect));
                                         fill(box, colours[std::size_t(m_frame.scene().op(item))]);
                                         if (m_frame.state.has(item, CanvasState::Selected))
                                             selected.push_back(box.adjusted(-1, -1, 1, 1));
                                     });
    for (const QRect& box : selected) fill(box, m_frame.theme.accent.rgb());
    m_frame.painter.drawImage(area.topLeft(), image);
    return count;
}

QRect NodePainter::farBox(const QRectF& r) {
    return {qFloor(r.x()), qFloor(r.y()), std::max(1, qRound(r.width())), std::max(1, qRound(r.height()))};
}

void NodePainter::paintBatched(const std::vector<ItemIndex>& nodes) const {
    // By colour, one call each: borders or whole boxes, then fillings. What is selected gets a frame below.
    const bool bordered = fx::kNodeHeight * m_frame.zoom() >= kBorderHeight;
    RectBatches below, above;
    QVector<QRect> selected;
    for (ItemIndex item : nodes) {
        const QRect box = farBox(m_frame.screenRect(item));
        if (m_frame.state.has(item, CanvasState::Selected)) selected.push_back(box.adjusted(-2, -2, 2, 2));
        Look look = lookOf(item);
        if (look.mark) look.line = colourOf(look.mark->kind);
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
        const Qt::BrushStyle style = kHatchings[std::size_t(look.style->hatch % 8)];
        QPainterPath path;
        path.addRoundedRect(r, kRadius * m_frame.zoom(), kRadius * m_frame.zoom());
        if (m_frame.vector) paintHatching(m_frame.painter, path, style, line, m_frame.zoom());
        else m_frame.painter.fillPath(path, QBrush(line, style));
    }
    if (r.width() > 0.8 * node.rect.w * m_frame.zoom()) texts(node, r, look);
    const bool selected = m_frame.state.has(item, CanvasState::Selected);
    if (selected || (look.style && look.style->marked)) outline(r, selected);
    if (!selected && m_frame.state.has(item, CanvasState::Current) && m_frame.state.focused) outline(r, false);
    if (look.mark) mark(r, *look.mark); // over the ring of what is selected
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
    if (node.copy > 0) return copyTitle(node, r, look);
    if (!m_frame.vector && m_frame.zoom() < kNearZoom) return oneLine(node, r, look);
    const bool beside = badgeFitsBesideWhat(node, r, look);
    nameLine(node, r, look, beside);
    whatLine(node, r, look, beside);
    chips(node, r, look);
}

/// The size of a text: to scale, but readable as long as the box has `room` for it.
double NodePainter::pixels(double atFullZoom, double least, double room) const {
    const double scaled = atFullZoom * m_frame.zoom();
    return m_frame.vector || scaled >= least ? scaled : std::min(least, room);
}

/// What the node does with all that fits: its settings and the shape, its settings, nothing.
void NodePainter::oneLine(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const CanvasFonts& fonts = m_frame.fonts;
    const double s = m_frame.zoom(), height = fx::kNodeHeight * s,
                 size = pixels(kWhatPixels, kLeastWhat, 0.75 * height);
    if (size < kLeastDrawn) return;
    const double scale = size / kWhatPixels, small = pixels(kNamePixels, kLeastName, 0.7 * height) / kNamePixels;
    const QPointF baseline(r.left() + std::max(6.0, kInset * s), r.center().y() + size * 0.36);
    const double room = r.right() - 4 - baseline.x();
    const double what = fonts.title.width(node.what) * scale, shape = fonts.mono.width(node.shape) * small;
    if (shape > 0 && what + 8 + shape <= room)
        m_frame.text(fonts.mono, node.shape, {r.right() - 5 - shape, baseline.y()}, look.muted, 1e9, small);
    const double width = drawWhat(node, baseline, look, room, scale);
    if (look.style && look.style->struck) strike(baseline.x(), baseline.x() + width, r.center().y(), look);
}

/// A little smaller rather than without its settings, and without them rather than cut. Returns the width on the
/// screen.
double NodePainter::drawWhat(const fx::NodeItem& node, QPointF baseline, const Look& look, double room,
                             double scale) const {
    const GlyphFont& font = m_frame.fonts.title;
    const double least = leastScaleOfWhat(scale);
    std::string_view text = node.what;
    double width = font.width(text);
    const auto shorten = [&](std::string_view shorter) {
        if (width * least > room && shorter.size() < text.size()) text = shorter, width = font.width(text);
    };
    shorten(text.substr(0, node.brief));
    if (text.find(' ') == text.npos) shorten(text.substr(text.rfind('.') + 1)); // "addmm" of "aten.addmm"
    if (width * least * kTellingPart > room) return 0;
    const double fitting = std::clamp(room / std::max(width, 1.0), least, scale);
    constexpr double kRounding = 0.5; // what fits exactly is not to be cut
    m_frame.text(font, text, baseline, look.text, room / fitting + kRounding, fitting);
    return std::min(room, width * fitting);
}

void NodePainter::copyTitle(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    const double s = m_frame.zoom();
    if (m_frame.readable(10))
        m_frame.text(m_frame.fonts.mono, node.title, {r.left() + 8 * s, r.center().y() + 4 * s}, look.text,
                     node.rect.w - 14);
}

double NodePainter::badgeWidth(const Look& look, double scale) const {
    return m_frame.fonts.title.width(look.style->badge) * kSmallBadge * scale;
}

/// What the node does comes first: a badge that would leave no room for it goes up, where the shape is otherwise.
bool NodePainter::badgeFitsBesideWhat(const fx::NodeItem& node, const QRectF& r, const Look& look) const {
    if (!look.style || look.style->badge.empty()) return true;
    const double s = m_frame.zoom(), scale = pixels(kWhatPixels, kLeastWhat, 1e9) / kWhatPixels;
    const double room = r.width() - (kInset + fx::kNodePadding + (fx::hasMark(node) ? fx::kMarkWidth : 0) + 8) * s;
    return m_frame.fonts.title.width(shortestWhat(node)) * leastScaleOfWhat(scale) + badgeWidth(look, scale) <= room;
}

/// At the right end of a line.
void NodePainter::drawBadge(QPointF end, const Look& look, double scale) const {
    const QColor color = look.style->badgeColor.isValid() ? look.style->badgeColor : look.line;
    m_frame.text(m_frame.fonts.title, look.style->badge, end - QPointF(badgeWidth(look, scale), 0), color, 1e9,
                 kSmallBadge * scale);
}

/// The shape goes before the name, which is cut in the middle.
void NodePainter::nameLine(const fx::NodeItem& node, const QRectF& r, const Look& look, bool badgeBelow) const {
    const CanvasFonts& fonts = m_frame.fonts;
    const double s = m_frame.zoom(), scale = pixels(kNamePixels, kLeastName, 1e9) / kNamePixels;
    const double left = r.left() + kInset * s, baseline = r.top() + kNameBaseline * s;
    double room = r.right() - fx::kNodePadding * s - left;
    const bool fails = look.mark && look.mark->kind == NodeMark::Kind::Fails;
    const std::string& shape = fails && node.shape.empty() ? kUnknown : node.shape;
    if (!badgeBelow) {
        const double badgeScale = pixels(kWhatPixels, kLeastWhat, 1e9) / kWhatPixels;
        drawBadge({left + room, baseline}, look, badgeScale);
        room -= badgeWidth(look, badgeScale) + 8 * s;
    } else if (!shape.empty()) {
        const double width = std::min(fonts.mono.width(shape) * scale, room);
        m_frame.text(fonts.mono, shape, {left + room - width, baseline}, look.muted, width / scale + 0.5, scale);
        room -= width + 8 * s;
    }
    const double least = std::min(fonts.name.width(node.title), 44.0) * scale; // fewer characters tell nothing
    if (room >= least) m_frame.text(fonts.name, node.title, {left, baseline}, look.muted, room / scale, scale);
}

void NodePainter::whatLine(const fx::NodeItem& node, const QRectF& r, const Look& look, bool badge) const {
    const double s = m_frame.zoom(), scale = pixels(kWhatPixels, kLeastWhat, 1e9) / kWhatPixels;
    const double baseline = r.top() + kWhatBaseline * s;
    double left = r.left() + kInset * s, room = r.right() - fx::kNodePadding * s - left;
    if (badge && look.style && !look.style->badge.empty()) {
        drawBadge({left + room, baseline}, look, scale);
        room -= badgeWidth(look, scale) + 8 * s;
    }
    if (fx::hasMark(node)) {
        familyMark(node.family, {left, baseline - 11.5 * s}, look);
        left += fx::kMarkWidth * s, room -= fx::kMarkWidth * s;
    }
    const double width = drawWhat(node, {left, baseline}, look, room, scale);
    if (look.style && look.style->struck) strike(left, left + width, baseline - 4.5 * s, look);
}

void NodePainter::familyMark(fx::ops::Family family, QPointF corner, const Look& look) const {
    const double s = m_frame.zoom();
    QPainter& painter = m_frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(look.style && look.style->fill.isValid() ? look.text : look.line, 1.4 * s, Qt::SolidLine,
                        Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    for (const fx::MarkLine& line : fx::markOf(family)) {
        QPolygonF points;
        for (const fx::Point& at : line.points) points << corner + QPointF(at.x, at.y) * s;
        line.closed ? painter.drawPolygon(points) : painter.drawPolyline(points);
    }
}

QColor NodePainter::colourOf(NodeMark::Kind kind) const {
    switch (kind) {
    case NodeMark::Kind::New: return m_frame.theme.ok.line;
    case NodeMark::Kind::Edited: return m_frame.theme.accent;
    case NodeMark::Kind::Suspect: return m_frame.theme.warning.line;
    case NodeMark::Kind::Fails: return m_frame.theme.error.line;
    }
    return {};
}

/// A pill over the upper right corner; only its colour where the word would be too small. What fails also has a dashed
/// frame.
void NodePainter::mark(const QRectF& r, const NodeMark& mark) const {
    const double s = m_frame.zoom();
    const QColor colour = colourOf(mark.kind);
    if (mark.kind >= NodeMark::Kind::Suspect) {
        const double gap = std::clamp(2.5 * s, 1.0, 4.0), radius = kRadius * s + gap;
        QPen pen(colour, std::max(1.5, 2 * s));
        pen.setDashPattern({3, 2});
        m_frame.painter.setPen(pen);
        m_frame.painter.setBrush(Qt::NoBrush);
        m_frame.painter.drawRoundedRect(r.adjusted(-gap, -gap, gap, gap), radius, radius);
    }
    const double size = pixels(10, 8, 1e9), height = m_frame.vector || s >= kNearZoom ? 1.5 * size : 6;
    const double scale = size / kWhatPixels, text = m_frame.fonts.title.width(mark.text) * scale;
    const bool worded = height > 6;
    const double width = worded ? text + size : height;
    const QRectF pill =
        m_frame.snapped({r.right() - width + 3 * s, r.top() + std::min(6 * s, 0.45 * height) - height, width, height});
    BoxPainter::drawShapes(m_frame.painter, pill, {colour, m_frame.theme.canvas, pill.height() / 2});
    if (worded)
        m_frame.text(m_frame.fonts.title, mark.text, {pill.left() + size / 2, pill.bottom() - 0.3 * height},
                     readableOn(colour, m_frame.theme.canvas), 1e9, scale);
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
    box(m_frame.snapped(r), {role.fill, role.line, m_frame.theme.text, m_frame.theme.muted}, node.copy > 0);
    m_frame.painter.setOpacity(1);
}

} // namespace ui
