// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/group_painter.h"

#include "ui/canvas/rect_batches.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

namespace ui {
namespace {

constexpr double kGroupRadius = 10, kInset = fx::kNodePadding + 16, kHeaderBaseline = 19, kSmall = 0.92;
constexpr double kHeaderPixels = 10; ///< of titles on the screen, as long as the header has room for that
constexpr double kLeastDrawn = 6.5;  ///< smaller texts are left out
constexpr double kRounded = 2;       ///< corners of a smaller radius (on the screen) are square

} // namespace

QRectF GroupPainter::headerRect(const fx::GroupItem& group, const Camera& camera) {
    const QRectF r = camera.toScreen(group.rect);
    return {r.left(), r.top(), r.width(), std::min(r.height(), fx::kGroupHeader * camera.zoom)};
}

QRectF GroupPainter::chevronRect(const fx::GroupItem& group, const Camera& camera) {
    const QRectF header = headerRect(group, camera);
    // At least 24 px to hit, as far as the box has them.
    const double side = std::max(24.0, (kInset + 2) * camera.zoom);
    return {header.left(), header.top(), std::min(side, header.width()),
            std::min(std::max(24.0, header.height()), camera.toScreen(group.rect).height())};
}

QString GroupPainter::countText(const fx::GroupItem& group) const {
    return counted(qint64(group.nodeCount), tr("1 node"), tr("%1 nodes"));
}

GroupPainter::Look GroupPainter::lookOf(ItemIndex item) const {
    const fx::GroupItem& group = m_frame.scene().group(item);
    const Theme& theme = m_frame.theme;
    Look look;
    look.accent = m_frame.state.has(item, CanvasState::Current);
    look.fill = group.expanded && group.depth % 2 ? Frame::mixed(theme.panel, theme.canvas, 0.75) : theme.panel;
    look.line = look.accent      ? theme.accent
                : group.expanded ? theme.border
                                 : Frame::mixed(theme.border, theme.edge, 0.5);
    if (m_frame.isDimmed(item)) look.fill = m_frame.dimmed(look.fill), look.line = m_frame.dimmed(look.line);
    return look;
}

void GroupPainter::paint(const std::vector<ItemIndex>& groups) const {
    if (!m_frame.vector && kGroupRadius * m_frame.zoom() < kRounded) {
        paintBatched(groups);
        return;
    }
    for (ItemIndex item : groups) paintGroup(item);
}

/// Far away: square boxes. Depth by depth, since a box lies over the one around it.
void GroupPainter::paintBatched(const std::vector<ItemIndex>& groups) const {
    std::vector<std::pair<RectBatches, RectBatches>> depths;
    const QRectF clip = m_frame.view.adjusted(-40, -40, 40, 40);
    for (ItemIndex item : groups) {
        const QRect r = m_frame.screenRect(item).intersected(clip).toRect();
        const Look look = lookOf(item);
        const std::size_t depth = m_frame.scene().group(item).depth;
        if (depths.size() <= depth) depths.resize(depth + 1);
        depths[depth].first.add(look.line, r.width() < 2 || r.height() < 2 ? r.adjusted(0, 0, 1, 1) : r);
        if (r.width() > 2 && r.height() > 2) depths[depth].second.add(look.fill, r.adjusted(1, 1, -1, -1));
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, false);
    m_frame.painter.setPen(Qt::NoPen);
    for (const auto& [lines, fills] : depths) {
        lines.draw(m_frame.painter);
        fills.draw(m_frame.painter);
    }
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    for (ItemIndex item : groups)
        if (!m_frame.scene().group(item).expanded) card(item, m_frame.screenRect(item));
}

void GroupPainter::paintGroup(ItemIndex item) const {
    // Clamped to the view, so that coordinates stay small; the corners of what is cut lie outside.
    const QRectF whole = m_frame.screenRect(item);
    const QRectF r = whole.intersected(m_frame.view.adjusted(-40, -40, 40, 40));
    const Look look = lookOf(item);
    if (m_frame.state.transition) m_frame.painter.setOpacity(m_frame.state.transition->presence(item));
    m_frame.box(r, {look.fill, look.line, std::min({kGroupRadius * m_frame.zoom(), r.width() / 2, r.height() / 2}),
                    look.accent ? 2.0 : 1.0});
    m_frame.painter.setRenderHint(QPainter::Antialiasing, true);
    if (!m_frame.scene().group(item).expanded) card(item, whole);
    m_frame.painter.setOpacity(1);
}

/// The scale of texts in headers: names stay readable as long as the header has room for them.
double GroupPainter::headerScale() const {
    const double s = m_frame.zoom();
    return m_frame.vector || 13 * s >= kHeaderPixels ? s : std::min(kHeaderPixels, 0.8 * fx::kGroupHeader * s) / 13;
}
bool GroupPainter::hasHeaders() const { return m_frame.vector || 13 * headerScale() >= kLeastDrawn; }

void GroupPainter::paintHeaders(const std::vector<ItemIndex>& groups) const {
    if (!hasHeaders()) return;
    for (ItemIndex item : groups) {
        if (!m_frame.scene().group(item).expanded) continue;
        if (m_frame.state.transition) m_frame.painter.setOpacity(m_frame.state.transition->presence(item));
        header(item, m_frame.screenRect(item));
        m_frame.painter.setOpacity(1);
    }
}

QColor GroupPainter::shade(ItemIndex item, const QColor& color) const {
    return m_frame.isDimmed(item) ? m_frame.dimmed(color) : color;
}

void GroupPainter::chevron(QPointF middle, bool open, const QColor& color) const {
    const double s = m_frame.zoom() * 3.4;
    m_frame.painter.setPen(
        QPen(color, std::max(1.0, 1.5 * m_frame.zoom()), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    m_frame.painter.setBrush(Qt::NoBrush);
    const QPointF down[] = {middle + QPointF(-s, -s / 2), middle + QPointF(0, s / 2), middle + QPointF(s, -s / 2)};
    const QPointF right[] = {middle + QPointF(-s / 2, -s), middle + QPointF(s / 2, 0), middle + QPointF(-s / 2, s)};
    m_frame.painter.drawPolyline(open ? down : right, 3);
}

void GroupPainter::header(ItemIndex item, const QRectF& r) const {
    const double s = m_frame.zoom(), scale = headerScale(), height = fx::kGroupHeader * s;
    if (r.top() + height < m_frame.view.top() || r.top() > m_frame.view.bottom()) return;
    const fx::GroupItem& group = m_frame.scene().group(item);
    const CanvasFonts& fonts = m_frame.fonts;
    const Look look = lookOf(item);
    const QColor text = shade(item, m_frame.theme.text), muted = shade(item, m_frame.theme.muted);
    const double baseline = r.top() + height * kHeaderBaseline / fx::kGroupHeader + (scale - s) * 3;
    // Edges into the group pass here: text stands on a patch of the group's own colour.
    const auto put = [&](const GlyphFont& font, const std::string& words, double x, const QColor& color, double room,
                         double size) {
        const double across = std::min(font.width(words) * size, room);
        m_frame.painter.fillRect(QRectF(x - 3 * s, r.top() + height * 0.2, across + 6 * s, height * 0.65), look.fill);
        m_frame.text(font, words, {x, baseline}, color, room / size, size);
        return across;
    };
    const double left = r.left() + kInset * s;
    double right = r.right() - fx::kNodePadding * s;
    const std::string count = countText(group).toStdString();
    const std::string& title = m_frame.scene().title(item);
    const double countWidth = fonts.label.width(count) * kSmall * scale;
    if (left + fonts.title.width(title) * scale + countWidth + 16 * s < right) {
        put(fonts.label, count, right - countWidth, muted, 1e9, kSmall * scale);
        right -= countWidth + 16 * s;
    }
    const double x = left + put(fonts.title, title, left, text, right - left, scale) + 8 * s;
    if (right - x > 30 * s && !group.type.empty()) put(fonts.label, group.type, x, muted, right - x, scale);
    chevron({r.left() + 15 * s, r.top() + 14.5 * s}, true, muted);
}

/// How much of a closed group each region has, as a bar along its lower border.
void GroupPainter::regionBar(ItemIndex item, const QRectF& r) const {
    const auto& shares = m_frame.state.regionsIn[item - m_frame.scene().picture().nodes.size()];
    double total = 0;
    for (const auto& [region, count] : shares) total += count;
    const double height = std::clamp(6 * m_frame.zoom(), 3.0, 8.0),
                 inset = std::min(r.width() / 4, kGroupRadius * m_frame.zoom());
    double x = r.left() + inset;
    m_frame.painter.setPen(Qt::NoPen);
    for (const auto& [region, count] : shares) {
        const double width = (r.width() - 2 * inset) * count / total;
        const QRectF part = m_frame.snapped({x, r.bottom() - height - 1, width, height});
        m_frame.painter.fillRect(part, shade(item, region ? region->color : m_frame.theme.border));
        x += width;
    }
}

void GroupPainter::card(ItemIndex item, const QRectF& r) const {
    if (m_frame.state.hasRegions && r.height() > 10) regionBar(item, r);
    const QColor text = shade(item, m_frame.theme.text), muted = shade(item, m_frame.theme.muted);
    const double s = m_frame.zoom(), width = r.width() / s - kInset - fx::kNodePadding;
    const CanvasFonts& fonts = m_frame.fonts;
    const std::string& title = m_frame.scene().title(item);
    if (!m_frame.readable(9)) {
        // The name alone, as large as fits.
        const double pixels = std::max(13 * s, std::min(r.height() * 0.4, 10.0));
        if (pixels < 6.5) return;
        m_frame.text(fonts.title, title, {r.left() + 8, r.center().y() + pixels * 0.36}, text,
                     (r.width() - 12) * 13 / pixels, pixels / 13);
        return;
    }
    const double y = r.top() + ((r.height() / s - fx::kClosedGroupHeight) / 2 + 21) * s;
    chevron({r.left() + 15 * s, y - 4.5 * s}, false, muted);
    m_frame.text(fonts.title, title, {r.left() + kInset * s, y}, text, width);
    m_frame.text(fonts.label, detailsOf(item, width / kSmall), {r.left() + kInset * s, y + 17 * s}, muted,
                 width / kSmall, kSmall * s);
}

/// What a closed group is and holds: as much of "BasicBlock · like layer1.0 · 7 nodes" as fits.
std::string GroupPainter::detailsOf(ItemIndex item, double width) const {
    const fx::GroupItem& group = m_frame.scene().group(item);
    const std::string count = countText(group).toStdString(), dot = " · ";
    const std::string brief = group.type.empty() ? count : group.type + dot + count;
    if (group.sameAs == fx::kNoGroup) return brief;
    const QString other = fromCore(m_frame.scene().title(m_frame.scene().groupItem(group.sameAs)));
    const std::string same = tr("like %1").arg(other).toStdString() + dot;
    const std::string whole = (group.type.empty() ? same : group.type + dot + same) + count;
    return m_frame.fonts.label.width(whole) <= width ? whole : brief;
}

/// A place for a far name in a group: at the corner of its visible part, where it covers neither nodes nor other names.
std::optional<QRectF> GroupPainter::farPlace(ItemIndex item, QSizeF size, const std::vector<QRectF>& taken) const {
    const QRectF r = m_frame.screenRect(item).intersected(m_frame.view).adjusted(3, 3, -3, -3);
    if (r.width() < size.width() || r.height() < size.height()) return {};
    const auto isFree = [&](const QRectF& place) {
        if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(place); })) return false;
        bool free = true;
        m_frame.scene().nodeGrid().query(m_frame.camera.toWorld(place), 0, [&](std::uint32_t node) {
            free = free && !m_frame.screenRect(node).intersects(place);
        });
        return free;
    };
    for (const double x : {r.left(), r.right() - size.width()})
        if (const QRectF place = m_frame.snapped(QRectF(QPointF(x, r.top()), size)); isFree(place)) return place;
    return {};
}

void GroupPainter::paintFarNames(const std::vector<ItemIndex>& groups) const {
    if (hasHeaders()) return;
    std::vector<QRectF> taken;
    constexpr double kPixels = 11, kScale = kPixels / 13;
    for (ItemIndex item : groups) {
        const QRectF r = m_frame.screenRect(item);
        if (!m_frame.scene().group(item).expanded || r.height() < 44 || r.width() < 40) continue;
        const std::string& title = m_frame.scene().title(item);
        const auto label = farPlace(item, {m_frame.fonts.title.width(title) * kScale + 10, 17}, taken);
        if (!label) continue;
        taken.push_back(label->adjusted(-2, -2, 2, 2));
        m_frame.box(*label, {m_frame.theme.panel, m_frame.theme.border, 4});
        m_frame.text(m_frame.fonts.title, title, {label->left() + 5, label->bottom() - 4.5}, m_frame.theme.text, 1e9,
                     kScale);
    }
}

} // namespace ui
