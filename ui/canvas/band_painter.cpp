// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/band_painter.h"

#include "ui/canvas/hatching.h"
#include "ui/canvas/region_painter.h"

#include <algorithm>

namespace ui {
namespace {

constexpr double kTint = 0.11, kDarkTint = 0.16;
constexpr double kTitleScale = 0.85; ///< of the font of titles: small enough for the room beside most graphs
constexpr double kStrip = 14;        ///< width of the hatching
constexpr double kHandleHeight = 22, kTitleHeight = 20, kPad = 10, kGrip = 16, kTitleInset = 8,
                 kFromEnd = 28; ///< of a handle beside the lower edge, where no nodes are in its row

/// Where on its line a handle may be, as a part of the room for it: in the usual place, away from the titles of bands,
/// then wherever there is room.
constexpr double kUsual = 0.5, kPlaces[] = {kUsual, 0.75, 0.9, 0.62, 0.38, 0.25};
constexpr double kApart = 2, kNoText = -6; ///< between handles; instead of the width of a title: a narrower grip

double along(double place, const Camera& camera, bool down) {
    return (place - (down ? camera.origin.y() : camera.origin.x())) * camera.zoom;
}

/// The box of a handle whose line is `at`, at a part of the room across: of the width of the view, or upwards from its
/// lower edge, where no nodes are in its row.
QRectF handleBox(double at, double part, bool down, const QRectF& view, double text, double scale) {
    const QSizeF size((text + kGrip + 2 * kPad) * scale, kHandleHeight * scale);
    const double rise = 2 * (part - kUsual) * (view.height() - 2 * kFromEnd * scale);
    const double beside = size.width() / 2 + kTitleInset * scale; // at an edge it is still whole
    const double across =
        std::max(view.left() + beside, std::min(view.left() + part * view.width(), view.right() - beside));
    const QPointF middle = down ? QPointF(across, at) : QPointF(at, view.bottom() - kFromEnd * scale - std::abs(rise));
    return {middle - QPointF(size.width(), size.height()) / 2, size};
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
        const Qt::BrushStyle style = kHatchings[static_cast<std::size_t>(bands[i].hatch % 8)];
        QPainterPath path;
        path.addRect(strip);
        if (m_frame.vector) paintHatching(painter, path, style, bands[i].color, scale());
        else painter.fillRect(strip, QBrush(bands[i].color, style));
    }
}

std::vector<BandPainter::Handle> BandPainter::handles(const CanvasBands& bands, const Scene& scene,
                                                      const CanvasFonts& fonts, const Camera& camera,
                                                      const QRectF& view, double scale) {
    const bool isDown = flowsDown(scene);
    std::vector<Handle> all;
    const auto isFree = [&](const QRectF& box) {
        const QRectF around = box.adjusted(-kApart, -kApart, kApart, kApart);
        return std::none_of(all.begin(), all.end(),
                            [&](const Handle& other) { return other.box.intersects(around); }) &&
               !coversItems(scene, camera, box);
    };
    for (const CanvasBands::Cut& cut : bands.cuts) {
        const double at = along(cut.place, camera, isDown), width = fonts.label.width(cut.title);
        const auto boxAt = [&](double part, bool isBrief) {
            return handleBox(at, part, isDown, view, isBrief ? kNoText : width, scale);
        };
        Handle handle{boxAt(kUsual, false)};
        const bool isSeen = handle.box.intersects(view);
        for (const bool isBrief : {false, true}) {
            if (!isSeen || isFree(handle.box)) break;
            handle = {boxAt(kUsual, true), true};
            const auto place = std::find_if(std::begin(kPlaces), std::end(kPlaces),
                                            [&](double each) { return isFree(boxAt(each, isBrief)); });
            if (place != std::end(kPlaces)) handle = {boxAt(*place, isBrief), isBrief};
        }
        all.push_back(handle);
    }
    return all;
}

bool BandPainter::coversItems(const Scene& scene, const Camera& camera, const QRectF& box) {
    const fx::Rect area = camera.toWorld(box);
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
    const auto places = handles(bands, m_frame.scene(), m_frame.fonts, m_frame.camera, m_frame.view, scale());
    for (std::size_t i = 0; i < bands.cuts.size(); ++i) // under all handles
        paintLine(places[i].box.center(), bands.current == static_cast<int>(i));
    for (std::size_t i = 0; i < bands.cuts.size(); ++i)
        paintHandle(places[i], bands.cuts[i].title, bands.current == static_cast<int>(i));
}

void BandPainter::paintLine(const QPointF& middle, bool isCurrent) const {
    const QRectF& view = m_frame.view;
    QPainter& painter = m_frame.painter;
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(m_frame.theme.accent, (isCurrent ? 3 : 2) * scale()));
    if (down()) painter.drawLine(QPointF(view.left(), middle.y()), QPointF(view.right(), middle.y()));
    else painter.drawLine(QPointF(middle.x(), view.top()), QPointF(middle.x(), view.bottom()));
}

void BandPainter::paintHandle(const Handle& place, const std::string& title, bool isCurrent) const {
    const QRectF handle = m_frame.snapped(place.box);
    if (!handle.intersects(m_frame.view) || isMap(handle)) return;
    const double s = scale(), baseline = handle.bottom() - handle.height() * 0.31;
    const Theme& theme = m_frame.theme;
    const QColor fill = isCurrent ? theme.accentBackground : theme.panel;
    m_frame.box(handle, {fill, theme.accent, handle.height() / 2, 1.5});
    const double grip = place.isBrief ? (handle.width() - (kGrip - kPad / 2) * s) / 2 : kPad * s;
    m_frame.text(m_frame.fonts.label, down() ? "⇕" : "⇔", {handle.left() + grip, baseline}, theme.accent, 1e9, s);
    if (!place.isBrief)
        m_frame.text(m_frame.fonts.label, title, {handle.left() + (kPad + kGrip) * s, baseline},
                     readableOn(fill, theme.accent), 1e9, s);
}

} // namespace ui
