// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Decodes the code point at the start of `text` into `point`. Returns its length in bytes, or 0 if it is not UTF-8.
/// Accepts surrogates, because Python writes them into pickles ("surrogatepass").
inline std::size_t decodeUtf8(std::string_view text, char32_t& point) {
    if (text.empty()) return 0;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) {
        point = lead;
        return 1;
    }
    const std::size_t length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
    if (length == 0 || lead >= 0xF5 || text.size() < length) return 0;
    point = lead & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
        point = (point << 6) | (byte(i) & 0x3F);
    }
    static constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    return point < kLeast[length] || point > 0x10FFFF ? 0 : length;
}

/// Returns a prefix of at most `bytes` bytes that does not end inside a character.
inline std::string_view wholeCharacters(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    const auto continues = [&] { return (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80; };
    for (int back = 0; back < 3 && bytes > 0 && continues(); ++back) --bytes;
    return text.substr(0, bytes);
}

/// Returns the number of characters. In invalid UTF-8, every byte that is not a continuation byte counts.
inline std::size_t characterCount(std::string_view text) {
    std::size_t count = 0;
    for (const char each : text) count += (static_cast<unsigned char>(each) & 0xC0) != 0x80;
    return count;
}

/// Appends `point` as UTF-8 (surrogates as three bytes).
inline void appendUtf8(std::string& out, char32_t point) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
    if (point < 0x80) {
        out += static_cast<char>(point);
    } else if (point < 0x800) {
        out += static_cast<char>(0xC0 | (point >> 6));
        tail(0);
    } else if (point < 0x10000) {
        out += static_cast<char>(0xE0 | (point >> 12));
        tail(6);
        tail(0);
    } else {
        out += static_cast<char>(0xF0 | (point >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

} // namespace fx
