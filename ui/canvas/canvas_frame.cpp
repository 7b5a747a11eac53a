// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/canvas_frame.h"

#include <QApplication>

namespace ui {
namespace {

QFont sized(QFont font, int pixels, int weight) {
    font.setPixelSize(pixels);
    font.setWeight(QFont::Weight(weight));
    return font;
}

} // namespace

CanvasFonts::CanvasFonts()
    : title(sized(QApplication::font(), 13, QFont::DemiBold)), label(sized(QApplication::font(), 12, QFont::Normal)),
      mono(sized(monoFont(), 11, QFont::Normal)), name(sized(monoFont(), 11, QFont::Normal), GlyphFont::Elide::Middle) {
}

QRectF Frame::snapped(const QRectF& r) const {
    if (vector) return r;
    const auto snap = [this](double v) { return std::round(v * devicePixels) / devicePixels; };
    return QRectF(QPointF(snap(r.left()), snap(r.top())), QPointF(snap(r.right()), snap(r.bottom())));
}

void Frame::box(const QRectF& r, const BoxLook& look) const {
    if (vector) BoxPainter::drawShapes(painter, r, look);
    else fonts.boxes.draw(painter, snapped(r), look, devicePixels);
}

void Frame::text(const GlyphFont& font, std::string_view utf8, QPointF baseline, const QColor& color, double maxWidth,
                 double scale) const {
    if (utf8.empty() || maxWidth < 4) return;
    // Few distinct sizes, so that the glyph cache is hit while zooming.
    const double wanted = scale > 0 ? scale : camera.zoom;
    const double stepped = vector ? wanted : std::max(1.0, std::round(wanted * 48)) / 48;
    painter.setPen(color);
    font.draw(painter, utf8, {baseline, maxWidth, stepped, vector});
}

QColor Frame::mixed(const QColor& a, const QColor& b, double part) {
    const auto mix = [part](int x, int y) { return int(x + (y - x) * part + 0.5); };
    return QColor(mix(a.red(), b.red()), mix(a.green(), b.green()), mix(a.blue(), b.blue()));
}

} // namespace ui
