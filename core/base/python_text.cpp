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
