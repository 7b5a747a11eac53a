// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/glyph_font.h"

#include "core/base/utf8.h"
#include "ui/widgets/core_text.h"

#include <QFontMetricsF>
#include <QGlyphRun>
#include <QPainter>

namespace ui {
namespace {

constexpr char32_t kSymbols[] = {U'…', U'→', U'←', U'↓', U'↑'};

QFont scalable(QFont font) {
    font.setHintingPreference(QFont::PreferNoHinting); // widths must scale evenly
    font.setKerning(false);
    if (font.pixelSize() < 0) font.setPixelSize(QFontInfo(font).pixelSize());
    return font;
}

} // namespace

GlyphFont::GlyphFont(QFont font, Elide elide)
    : m_font(scalable(std::move(font))), m_raw(QRawFont::fromFont(m_font)), m_elide(elide) {
    m_ascent = QFontMetricsF(m_font).ascent();
    const auto load = [this](char32_t c) {
        const QList<quint32> indexes = m_raw.glyphIndexesForString(QString::fromUcs4(&c, 1));
        if (indexes.size() != 1 || indexes[0] == 0) return Glyph{};
        return Glyph{indexes[0],
                     float(m_raw.advancesForGlyphIndexes(indexes, QRawFont::UseDesignMetrics).value(0).x())};
    };
    for (char32_t c = U' '; c < kTableSize; ++c) {
        if (c < 0x7F || c >= 0xA0) m_latin[c] = load(c);
    }
    for (std::size_t i = 0; i < m_symbols.size(); ++i) m_symbols[i] = load(kSymbols[i]);
}

const GlyphFont::Glyph* GlyphFont::glyphOf(char32_t c) const {
    const Glyph* glyph = nullptr;
    if (c < kTableSize) {
        glyph = &m_latin[c];
    } else {
        const auto* symbol = std::find(std::begin(kSymbols), std::end(kSymbols), c);
        if (symbol != std::end(kSymbols)) glyph = &m_symbols[std::size_t(symbol - std::begin(kSymbols))];
    }
    return glyph && glyph->index ? glyph : nullptr;
}

/// False when a character needs shaping, another font, or to be spelled.
bool GlyphFont::glyphsOf(std::string_view utf8, std::vector<Glyph>& glyphs) const {
    glyphs.clear();
    while (!utf8.empty()) {
        char32_t c = 0;
        const std::size_t length = fx::decodeUtf8(utf8, c);
        const bool isShown = length > 0 && ((c >= 0x20 && c < 0x7f) || !fx::isHiddenCharacter(c));
        const Glyph* glyph = isShown ? glyphOf(c) : nullptr;
        if (!glyph) return false;
        glyphs.push_back(*glyph);
        utf8.remove_prefix(length);
    }
    return true;
}

double GlyphFont::width(std::string_view utf8) const {
    if (!glyphsOf(utf8, m_glyphs)) return QFontMetricsF(m_font).horizontalAdvance(fromCore(utf8));
    double total = 0;
    for (const Glyph& glyph : m_glyphs) total += double(glyph.advance);
    return total;
}

double GlyphFont::draw(QPainter& painter, std::string_view utf8, const Placement& placement) const {
    if (placement.asText || !glyphsOf(utf8, m_glyphs) || m_symbols[0].index == 0)
        return drawShaped(painter, utf8, placement);
    double total = 0;
    for (const Glyph& glyph : m_glyphs) total += double(glyph.advance);
    if (total > placement.maxWidth) {
        const double room = placement.maxWidth - double(m_symbols[0].advance);
        std::size_t first = m_glyphs.size(); // of what goes
        double tail = 0;
        if (m_elide == Elide::Middle)
            while (first > 0 && tail + double(m_glyphs[first - 1].advance) <= room / 2)
                tail += double(m_glyphs[--first].advance);
        const std::size_t end = first;
        while (first > 0 && total > room) total -= double(m_glyphs[--first].advance);
        m_glyphs.erase(m_glyphs.begin() + std::ptrdiff_t(first), m_glyphs.begin() + std::ptrdiff_t(end));
        m_glyphs.insert(m_glyphs.begin() + std::ptrdiff_t(first), m_symbols[0]);
        total += double(m_symbols[0].advance);
    }
    m_indexes.clear(), m_positions.clear();
    double x = 0;
    for (const Glyph& glyph : m_glyphs) {
        m_indexes.push_back(glyph.index);
        m_positions.emplace_back(x, 0);
        x += double(glyph.advance);
    }
    QGlyphRun run;
    run.setRawFont(m_raw);
    run.setRawData(m_indexes.data(), m_positions.data(), int(m_indexes.size()));
    if (placement.scale == 1.0) {
        painter.drawGlyphRun(placement.baseline, run);
        return total;
    }
    const QTransform before = painter.worldTransform();
    painter.setWorldTransform(
        QTransform(placement.scale, 0, 0, placement.scale, placement.baseline.x(), placement.baseline.y()) * before);
    painter.drawGlyphRun(QPointF(), run);
    painter.setWorldTransform(before);
    return total;
}

double GlyphFont::drawShaped(QPainter& painter, std::string_view utf8, const Placement& placement) const {
    const QFontMetricsF metrics(m_font);
    const QString whole = fromCore(utf8);
    // Only what is too long: Qt counts in 64ths of a pixel, in which "any width" overflows.
    const QString text = metrics.horizontalAdvance(whole) <= placement.maxWidth
                             ? whole
                             : metrics.elidedText(whole, m_elide == Elide::Middle ? Qt::ElideMiddle : Qt::ElideRight,
                                                  placement.maxWidth);
    painter.save();
    painter.setFont(m_font);
    painter.translate(placement.baseline);
    painter.scale(placement.scale, placement.scale);
    painter.drawText(QPointF(), text);
    painter.restore();
    return metrics.horizontalAdvance(text);
}

} // namespace ui
