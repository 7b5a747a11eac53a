// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickle_text.h"

#include <charconv>
#include <cstdint>

namespace fx {

namespace {

void appendUtf8(std::string& out, std::uint32_t code) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | code >> 12);
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | code >> 18);
        tail(12), tail(6), tail(0);
    }
}

/// The number written in the first `digits` characters; false when there are not that many digits of the base.
bool parseDigits(std::string_view text, std::size_t digits, int base, std::uint32_t& value) {
    if (text.size() < digits) return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value, base);
    return error == std::errc() && end == text.data() + digits;
}

} // namespace

bool isPickleUtf8(std::string_view text) {
    unsigned char all = 0;
    for (const char each : text) all |= static_cast<unsigned char>(each);
    if (all < 0x80) return true; // ASCII, as nearly all texts are
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i++]);
        if (lead < 0x80) continue;
        const int tails = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
        if (lead < 0xC2 || lead > 0xF4 || text.size() - i < static_cast<std::size_t>(tails)) return false;
        std::uint32_t code = lead & (0x3Fu >> tails);
        for (int k = 0; k < tails; ++k) {
            const auto tail = static_cast<unsigned char>(text[i++]);
            if ((tail & 0xC0) != 0x80) return false;
            code = code << 6 | (tail & 0x3F);
        }
        if ((tails == 2 && code < 0x800) || (tails == 3 && (code < 0x10000 || code > 0x10FFFF))) return false;
    }
    return true;
}

std::optional<std::string> decodeRawUnicode(std::string_view line) {
    std::string out;
    for (std::size_t i = 0; i < line.size();) {
        const std::size_t digits = line.substr(i).starts_with("\\u") ? 4 : line.substr(i).starts_with("\\U") ? 8 : 0;
        std::uint32_t code = static_cast<unsigned char>(line[i]);
        if (digits > 0 && (!parseDigits(line.substr(i + 2), digits, 16, code) || code > 0x10FFFF)) return std::nullopt;
        appendUtf8(out, code);
        i += digits > 0 ? digits + 2 : 1;
    }
    return out;
}

std::optional<std::string> decodeQuoted(std::string_view line) {
    if (line.size() < 2 || line.front() != line.back() || (line.front() != '\'' && line.front() != '"'))
        return std::nullopt;
    constexpr std::string_view names = "\\'\"abfnrtv", values = "\\'\"\a\b\f\n\r\t\v";
    const std::string_view body = line.substr(1, line.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (body[i] != '\\') {
            out += body[i];
            continue;
        }
        if (++i == body.size()) return std::nullopt;
        std::uint32_t code = 0;
        if (const std::size_t named = names.find(body[i]); named != names.npos) {
            out += values[named];
        } else if (body[i] == 'x') {
            if (!parseDigits(body.substr(i + 1), 2, 16, code)) return std::nullopt;
            out += static_cast<char>(code);
            i += 2;
        } else if (body[i] >= '0' && body[i] <= '7') {
            std::size_t digits = 1;
            while (digits < 3 && i + digits < body.size() && body[i + digits] >= '0' && body[i + digits] <= '7')
                ++digits;
            parseDigits(body.substr(i), digits, 8, code);
            out += static_cast<char>(code);
            i += digits - 1;
        } else {
            out += '\\';
            out += body[i];
        }
    }
    return out;
}

} // namespace fx
