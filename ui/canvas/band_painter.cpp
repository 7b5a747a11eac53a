// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/band_painter.h"

#include "ui/canvas/region_painter.h"

namespace ui {
namespace {

constexpr double kTint = 0.11, kDarkTint = 0.16;
constexpr double kTitleScale = 0.85; ///< of the font of titles: small enough for the room beside most graphs
constexpr double kStrip = 14;        ///< width of the hatching
constexpr double kHandleHeight = 22, kTitleHeight = 20, kPad = 10, kGrip = 16, kTitleInset = 8,
                 kFromEnd = 28; ///< of a handle beside the lower edge, where no nodes are in its row

double along(double place, const Camera& camera, bool down) {
    return (place - (down ? camera.origin.y() : camera.origin.x())) * camera.zoom;
}

} // namespace

QRectF BandPainter::bandRect(std::size_t band) const {
    const auto& cuts = m_frame.state.bands->cuts;
    const QRectF& view = m_frame.view;
    const double first = down() ? view.top() : view.left(), last = down() ? view.bottom() : view.right();
    const auto placeOf = [&](std::size_t cut) {
        return std::clamp(along(cuts[cut].place, m_frame.camera, down()), first, last);
    };
    const double from = band == 0 ? first : placeOf(band - 1), to = band < cuts.size() ? placeOf(band) : last;
    return down() ? QRectF(view.left(), from, view.width(), to - from)
                  : QRectF(from, view.top(), to - from, view.height());
}

void BandPainter::paintBands() const {
    if (!m_frame.state.bands) return;
    QPainter& painter = m_frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    const auto& bands = m_frame.state.bands->bands;
    for (std::size_t i = 0; i < bands.size(); ++i) {
        const QRectF area = bandRect(i);
        if (area.isEmpty()) continue;
        QColor tint = bands[i].color;
        tint.setAlphaF(static_cast<float>(m_frame.theme.dark ? kDarkTint : kTint));
        painter.fillRect(area, tint);
        const double width = kStrip * scale();
        const QRectF strip = down() ? QRectF(area.left(), area.top(), width, area.height())
                                    : QRectF(area.left(), area.top(), area.width(), width);
        painter.fillRect(strip, Frame::mixed(m_frame.theme.canvas, bands[i].color, 0.25));
        painter.fillRect(strip, QBrush(bands[i].color, kHatchings[static_cast<std::size_t>(bands[i].hatch % 8)]));
    }
}

QRectF BandPainter::handleRect(const CanvasBands::Cut& cut, const CanvasFonts& fonts, const Camera& camera,
                               const QRectF& view, bool down, double scale) {
    const double at = along(cut.place, camera, down);
    const QPointF middle = down ? QPointF(view.center().x(), at) : QPointF(at, view.bottom() - kFromEnd * scale);
    const QSizeF size((fonts.label.width(cut.title) + kGrip + 2 * kPad) * scale, kHandleHeight * scale);
    return {middle - QPointF(size.width(), size.height()) / 2, size};
}

bool BandPainter::coversItems(const QRectF& box) const {
    const Scene& scene = m_frame.scene();
    const fx::Rect area = m_frame.camera.toWorld(box);
    bool covers = false;
    scene.nodeGrid().query(area, 0, [&](std::uint32_t) { covers = true; });
    scene.groupGrid().query(area, 0, [&](std::uint32_t index) {
        const fx::GroupItem& group = scene.group(scene.groupItem(index));
        const fx::Rect& frame = group.rect;
        const bool inTitle = area.y < frame.y + fx::kGroupHeader && area.y + area.h > frame.y;
        covers = covers || !group.expanded || inTitle;
    });
    return covers;
}

QRectF BandPainter::titleRect(std::size_t band) const {
    const QRectF area = bandRect(band);
    const double s = scale(), inset = kTitleInset * s, start = (kStrip + kTitleInset) * s;
    const double text = m_frame.fonts.title.width(m_frame.state.bands->bands[band].title) * kTitleScale;
    const QSizeF size((text + 2 * kPad) * s, kTitleHeight * s);
    const QPointF near = down() ? QPointF(start, inset) : QPointF(inset, start);
    const QRectF first(area.topLeft() + near, size);
    if (!coversItems(first)) return first;
    QRectF other = first; // beside the handles of cuts, which are in the middle or at the lower edge
    if (down()) other.moveRight(area.right() - inset);
    else other.moveBottom(area.bottom() - kFromEnd * s - kHandleHeight * s);
    return area.contains(other) && !coversItems(other) ? other : first;
}

void BandPainter::paintTitle(std::size_t band) const {
    const CanvasBands::Band& look = m_frame.state.bands->bands[band];
    const QRectF area = bandRect(band);
    const double s = scale(), height = kTitleHeight * s;
    const QRectF box = m_frame.snapped(titleRect(band));
    const double width = box.width();
    if (isMap(box)) return;
    if (down() ? area.height() < height + kTitleInset * s : area.width() < width + kTitleInset * s) return;
    m_frame.box(box, {m_frame.theme.panel, look.color, height / 2});
    m_frame.text(m_frame.fonts.title, look.title, {box.left() + kPad * s, box.bottom() - height * 0.28},
                 m_frame.theme.text, 1e9, s * kTitleScale);
}

void BandPainter::paintCuts() const {
    if (!m_frame.state.bands) return;
    const CanvasBands& bands = *m_frame.state.bands;
    for (std::size_t i = 0; i < bands.bands.size(); ++i) paintTitle(i);
    QPainter& painter = m_frame.painter;
    const Theme& theme = m_frame.theme;
    const double s = scale();
    for (std::size_t i = 0; i < bands.cuts.size(); ++i) {
        const QRectF handle =
            m_frame.snapped(handleRect(bands.cuts[i], m_frame.fonts, m_frame.camera, m_frame.view, down(), s));
        if (!handle.intersects(m_frame.view)) continue;
        const bool current = bands.current == static_cast<int>(i);
        const QPointF middle = handle.center();
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(QPen(theme.accent, (current ? 3 : 2) * s));
        if (down())
            painter.drawLine(QPointF(m_frame.view.left(), middle.y()), QPointF(m_frame.view.right(), middle.y()));
        else painter.drawLine(QPointF(middle.x(), m_frame.view.top()), QPointF(middle.x(), m_frame.view.bottom()));
        if (isMap(handle)) continue;
        m_frame.box(handle, {current ? theme.accentBackground : theme.panel, theme.accent, handle.height() / 2, 1.5});
        const double baseline = handle.bottom() - handle.height() * 0.31;
        m_frame.text(m_frame.fonts.label, down() ? "⇕" : "⇔", {handle.left() + kPad * s, baseline}, theme.accent, 1e9,
                     s);
        m_frame.text(m_frame.fonts.label, bands.cuts[i].title, {handle.left() + (kPad + kGrip) * s, baseline},
                     readableOn(current ? theme.accentBackground : theme.panel, theme.accent), 1e9, s);
    }
}

} // namespace ui
