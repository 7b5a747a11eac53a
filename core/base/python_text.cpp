// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/python_text.h"

#include "core/base/character_table.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace fx {
namespace {
#include "core/base/unicode_tables.inc"

void appendHex(std::string& out, char kind, std::uint32_t value, int digits) {
    static constexpr char kHex[] = "0123456789abcdef";
    out += '\\';
    out += kind;
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) out += kHex[(value >> shift) & 15];
}

void appendEscaped(std::string& out, char32_t c, char quote) {
    switch (c) {
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    case '\\': out += "\\\\"; return;
    default: break;
    }
    if (c == static_cast<char32_t>(quote)) {
        out += '\\';
        out += quote;
    } else if (holdsFor(kPrintable, c)) {
        appendUtf8(out, c);
    } else if (c < 0x100) {
        appendHex(out, 'x', c, 2);
    } else if (c < 0x10000) {
        appendHex(out, 'u', c, 4);
    } else {
        appendHex(out, 'U', c, 8);
    }
}

/// Python prefers ' and takes " only when the text holds a ' and no ".
char quoteFor(std::string_view text) {
    return text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos ? '"' : '\'';
}

/// One part of a complex number: like a float, but without ".0".
void appendComplexPart(std::string& out, double value, bool sign) {
    std::string text;
    appendPythonFloat(text, value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    if (sign && text[0] != '-') out += '+';
    out += text;
}
} // namespace

void appendPythonFloat(std::string& out, double value) {
    if (std::isnan(value)) {
        out += "nan";
        return;
    }
    if (std::isinf(value)) {
        out += value < 0 ? "-inf" : "inf";
        return;
    }
    char buffer[64];
    const auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
    const std::string_view text(buffer, static_cast<std::size_t>(scientific.ptr - buffer));
    const auto e = text.find('e');
    int exponent = 0;
    std::from_chars(text.data() + e + 1 + (text[e + 1] == '+'), text.data() + text.size(), exponent);
    if (exponent < -4 || exponent >= 16) {
        out.append(text);
        return;
    }
    const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
    const std::string_view plain(buffer, static_cast<std::size_t>(fixed.ptr - buffer));
    out.append(plain);
    if (plain.find('.') == std::string_view::npos) out += ".0";
}

void appendPythonComplex(std::string& out, double re, double im) {
    const bool imaginaryOnly = re == 0 && !std::signbit(re);
    if (!imaginaryOnly) {
        out += '(';
        appendComplexPart(out, re, false);
    }
    appendComplexPart(out, im, !imaginaryOnly);
    out += 'j';
    if (!imaginaryOnly) out += ')';
}

void appendPythonString(std::string& out, std::string_view text) {
    const char quote = quoteFor(text);
    out += quote;
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        char32_t c = 0;
        const std::size_t length = decodeUtf8(text.substr(at), c);
        if (length == 0) { // not UTF-8: shown like a byte
            appendHex(out, 'x', byte, 2);
            ++at;
            continue;
        }
        appendEscaped(out, c, quote);
        at += length;
    }
    out += quote;
}

void appendPythonBytes(std::string& out, std::string_view bytes) {
    const char quote = quoteFor(bytes);
    out += 'b';
    out += quote;
    for (const char raw : bytes) {
        const auto c = static_cast<unsigned char>(raw);
        if (c >= 0x7f) appendHex(out, 'x', c, 2);
        else appendEscaped(out, c, quote);
    }
    out += quote;
}

/// First and last of the characters of identifiers that NFKC makes letters, digits or `_` of ASCII, or that with others
/// (Unicode 14).
constexpr std::pair<char32_t, char32_t> kReadAsAscii[] = {
    {0xAA, 0xAA},       {0xBA, 0xBA},       {0x132, 0x133},     {0x13F, 0x140},     {0x149, 0x149},
    {0x17F, 0x17F},     {0x1C4, 0x1CC},     {0x1F1, 0x1F3},     {0x2B0, 0x2B0},     {0x2B2, 0x2B3},
    {0x2B7, 0x2B8},     {0x2E1, 0x2E3},     {0x1D2C, 0x1D2C},   {0x1D2E, 0x1D2E},   {0x1D30, 0x1D31},
    {0x1D33, 0x1D3A},   {0x1D3C, 0x1D3C},   {0x1D3E, 0x1D43},   {0x1D47, 0x1D49},   {0x1D4D, 0x1D4D},
    {0x1D4F, 0x1D50},   {0x1D52, 0x1D52},   {0x1D56, 0x1D58},   {0x1D5B, 0x1D5B},   {0x1D62, 0x1D65},
    {0x1D9C, 0x1D9C},   {0x1DA0, 0x1DA0},   {0x1DBB, 0x1DBB},   {0x1E9A, 0x1E9A},   {0x2071, 0x2071},
    {0x207F, 0x207F},   {0x2090, 0x2093},   {0x2095, 0x209C},   {0x2102, 0x2102},   {0x210A, 0x210E},
    {0x2110, 0x2113},   {0x2115, 0x2115},   {0x2119, 0x211D},   {0x2124, 0x2124},   {0x2128, 0x2128},
    {0x212A, 0x212A},   {0x212C, 0x212D},   {0x212F, 0x2131},   {0x2133, 0x2134},   {0x2139, 0x2139},
    {0x2145, 0x2149},   {0x2160, 0x217F},   {0x2C7C, 0x2C7D},   {0xA7F2, 0xA7F4},   {0xFB00, 0xFB06},
    {0xFE33, 0xFE34},   {0xFE4D, 0xFE4F},   {0xFF10, 0xFF19},   {0xFF21, 0xFF3A},   {0xFF3F, 0xFF3F},
    {0xFF41, 0xFF5A},   {0x107A5, 0x107A5}, {0x1D400, 0x1D454}, {0x1D456, 0x1D49C}, {0x1D49E, 0x1D49F},
    {0x1D4A2, 0x1D4A2}, {0x1D4A5, 0x1D4A6}, {0x1D4A9, 0x1D4AC}, {0x1D4AE, 0x1D4B9}, {0x1D4BB, 0x1D4BB},
    {0x1D4BD, 0x1D4C3}, {0x1D4C5, 0x1D505}, {0x1D507, 0x1D50A}, {0x1D50D, 0x1D514}, {0x1D516, 0x1D51C},
    {0x1D51E, 0x1D539}, {0x1D53B, 0x1D53E}, {0x1D540, 0x1D544}, {0x1D546, 0x1D546}, {0x1D54A, 0x1D550},
    {0x1D552, 0x1D6A3}, {0x1D7CE, 0x1D7FF}, {0x1FBF0, 0x1FBF9}};

/// Python reads identifiers in NFKC: `\uff45val` is eval.
static bool isReadAsAscii(char32_t c) {
    const auto after = std::upper_bound(std::begin(kReadAsAscii), std::end(kReadAsAscii), c,
                                        [](char32_t wanted, const auto& range) { return wanted < range.first; });
    return after != std::begin(kReadAsAscii) && c <= std::prev(after)->second;
}

bool isPythonIdentifier(std::string_view text) {
    if (text.empty()) return false;
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
        const char byte = text[at];
        const bool isLetter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
        if (isLetter || (byte >= '0' && byte <= '9' && !first)) { // nearly all names have only these
            first = false;
            ++at;
            continue;
        }
        char32_t c = 0;
        const std::size_t length = decodeUtf8(text.substr(at), c);
        if (length == 0 || !(first ? holdsFor(kIdentifierStart, c) : holdsFor(kIdentifierContinue, c))) return false;
        if (isReadAsAscii(c)) return false;
        first = false;
        at += length;
    }
    return true;
}

bool hasWord(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const char before = at == 0 ? ' ' : text[at - 1],
                   after = at + name.size() == text.size() ? ' ' : text[at + name.size()];
        if (!isNamePart(before) && before != '.' && !isNamePart(after)) return true;
    }
    return false;
}

std::span<const std::string_view> pythonKeywords() { return kKeywords; }
std::span<const std::string_view> pythonBuiltins() { return kBuiltins; }
bool isPythonKeyword(std::string_view text) {
    if (text.size() < 2 || text.size() > 8 || text.back() < 'a' || text.back() > 'z')
        return false; // most names of a graph end here
    return std::binary_search(std::begin(kKeywords), std::end(kKeywords), text);
}
bool isPythonBuiltin(std::string_view name) {
    return std::binary_search(std::begin(kBuiltins), std::end(kBuiltins), name);
}

} // namespace fx
