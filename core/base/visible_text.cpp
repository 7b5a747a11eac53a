// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/visible_text.h"

#include "core/base/character_table.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace fx {
namespace {

/// Unicode's control characters (Cc), surrogates, line and paragraph separators, Default_Ignorable_Code_Point, which
/// holds all bidirectional controls, and the blank Braille pattern: from each first to before each second.
constexpr char32_t kHidden[] = {0x0,     0x20,    0x7f,    0xa0,    0xad,    0xae,   0x34f,  0x350,  0x61c,
                                0x61d,   0x115f,  0x1161,  0x17b4,  0x17b6,  0x180b, 0x1810, 0x200b, 0x2010,
                                0x2028,  0x202f,  0x2060,  0x2070,  0x2800,  0x2801, 0x3164, 0x3165, 0xd800,
                                0xe000,  0xfe00,  0xfe10,  0xfeff,  0xff00,  0xffa0, 0xffa1, 0xfff0, 0xfffc,
                                0x1bca0, 0x1bca4, 0x1d173, 0x1d17b, 0xe0000, 0xe1000};

bool isPlain(char c) { return c >= 0x20 && c < 0x7f; }

void appendSpelled(std::string& out, char32_t point) {
    std::array<char, 16> spelled{};
    const char* form = point < 0x100 ? "\\x%02x" : point < 0x10000 ? "\\u%04x" : "\\U%08x";
    std::snprintf(spelled.data(), spelled.size(), form, static_cast<unsigned>(point));
    out += spelled.data();
}

enum class Lines { Kept, Joined, Spelled };

void appendBreak(std::string& out, char c, Lines lines) {
    if (lines == Lines::Spelled) out += c == '\n' ? "\\n" : "\\t";
    else out += lines == Lines::Kept ? c : ' ';
}

constexpr std::size_t kExcerpt = 1000; ///< bytes of a quoted text

std::string visible(std::string_view text, Lines lines) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto end = std::find_if_not(text.begin(), text.end(), isPlain);
        const auto plain = static_cast<std::size_t>(end - text.begin());
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        char32_t point = 0;
        const std::size_t length = decodeUtf8(text, point);
        if (length == 0) appendSpelled(out, static_cast<unsigned char>(text[0]));
        else if (point == '\n' || point == '\t') appendBreak(out, text[0], lines);
        else if (isHiddenCharacter(point)) appendSpelled(out, point);
        else out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

} // namespace

bool isHiddenCharacter(char32_t point) { return holdsFor(kHidden, point); }

std::string visibleText(std::string_view text) { return visible(text, Lines::Kept); }

std::string visibleLine(std::string_view text) { return visible(text, Lines::Joined); }

std::string visibleExcerpt(std::string_view text) {
    const std::string_view start = wholeCharacters(text, kExcerpt);
    return visible(start, Lines::Spelled) + (start.size() < text.size() ? "…" : "");
}

std::string visibleName(std::string_view text) { return visible(text, Lines::Spelled); }

} // namespace fx
