// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QFont>
#include <QRawFont>

#include <array>
#include <string>
#include <string_view>
#include <vector>

class QPainter;

namespace ui {

/// A font for thousands of short texts per frame at any scale: glyphs come from a table and need no shaping.
///
/// Latin text becomes glyph runs directly (well under a microsecond to set up). Other text uses QPainter::drawText with
/// the system's fallback fonts. Sizes are those of the QFont times a scale. One thread at a time.
class GlyphFont {
public:
    /// The place at which texts that do not fit are truncated: names differ at their ends.
    enum class Elide : std::uint8_t { End, Middle };
    explicit GlyphFont(QFont font, Elide elide = Elide::End); ///< `font` must have a pixel size.

    const QFont& font() const { return m_font; }            ///< The font at scale 1.
    double ascent() const { return m_ascent; }              ///< The ascent in pixels at scale 1.
    double pixelSize() const { return m_font.pixelSize(); } ///< The pixel size at scale 1.
    /// Returns the width of a text in pixels at scale 1.
    double width(std::string_view utf8) const;

    /// The placement of a text.
    struct Placement {
        QPointF baseline;      ///< left end of the baseline, in painter coordinates
        double maxWidth = 1e9; ///< at scale 1; longer texts are truncated with "…"
        double scale = 1;      ///< factor on the size of the font
        bool asText = false;   ///< real text for SVG and PDF instead of glyph runs
    };
    /// Draws a text with the painter's pen. Returns the width drawn, at scale 1.
    double draw(QPainter& painter, std::string_view utf8, const Placement& placement) const;

private:
    static constexpr std::size_t kTableSize = 0x180; ///< Basic Latin to Latin Extended-A
    struct Glyph {
        quint32 index = 0;
        float advance = 0;
    };
    bool glyphsOf(std::string_view utf8, std::vector<Glyph>& glyphs) const;
    const Glyph* glyphOf(char32_t c) const;
    double drawShaped(QPainter& painter, std::string_view utf8, const Placement& placement) const;

    QFont m_font;
    QRawFont m_raw;
    Elide m_elide;
    double m_ascent = 0;
    std::array<Glyph, kTableSize> m_latin;
    std::array<Glyph, 5> m_symbols;
    mutable std::vector<Glyph> m_glyphs; ///< scratch, so that drawing allocates nothing
    mutable std::vector<quint32> m_indexes;
    mutable std::vector<QPointF> m_positions;
};

} // namespace ui
