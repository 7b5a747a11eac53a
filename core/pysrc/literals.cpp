// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/literals.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace fx::py {
namespace {
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Decimal digits of a non-negative number given in another base; linear in nothing fancy, literals are short.
std::string toDecimal(std::string_view digits, int base) {
    std::string decimal = "0"; // least significant digit first
    for (const char c : digits) {
        int carry = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
        for (char& d : decimal) {
            const int value = (d - '0') * base + carry;
            d = static_cast<char>('0' + value % 10);
            carry = value / 10;
        }
        for (; carry > 0; carry /= 10) decimal += static_cast<char>('0' + carry % 10);
    }
    std::reverse(decimal.begin(), decimal.end());
    return decimal;
}

std::optional<Argument> parseInteger(std::string_view digits, int base) {
    const auto legal = [base](char c) {
        const int value = isDigit(c) ? c - '0' : (c | 0x20) >= 'a' ? (c | 0x20) - 'a' + 10 : 99;
        return value < base;
    };
    constexpr std::size_t kMaxDigits = 100000;
    if (digits.empty() || digits.size() > kMaxDigits || !std::all_of(digits.begin(), digits.end(), legal))
        return std::nullopt;
    std::int64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (result.ec == std::errc()) return Argument(value);
    const auto first = digits.find_first_not_of('0');
    return Argument(BigInt{base == 10 ? std::string(digits.substr(first)) : toDecimal(digits, base)});
}

std::optional<double> parseFloat(std::string_view text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ptr != text.data() + text.size()) return std::nullopt;
    if (result.ec == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
    return result.ec == std::errc() ? std::optional(value) : std::nullopt;
}

int hexValue(char c) {
    if (isDigit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Reads up to `count` digits of `base` at `at`; moves `at` behind them.
std::optional<char32_t> readDigits(std::string_view text, std::size_t& at, std::size_t count, int base, bool exact) {
    char32_t value = 0;
    std::size_t read = 0;
    for (; read < count && at < text.size(); ++read, ++at) {
        const int digit = hexValue(text[at]);
        if (digit < 0 || digit >= base) break;
        value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    }
    if (read == 0 || (exact && read < count)) return std::nullopt;
    return value;
}

/// Appends the character of the escape whose letter stands at `at`; false when it is malformed.
bool appendEscape(std::string& out, std::string_view text, std::size_t& at, bool bytes) {
    static constexpr std::string_view kLetters = "\\'\"abfnrtv", kValues = "\\'\"\a\b\f\n\r\t\v";
    const char letter = text[at];
    if (const auto known = kLetters.find(letter); known != std::string_view::npos) {
        out += kValues[known];
        ++at;
        return true;
    }
    if (letter == '\n') return ++at, true;
    const auto append = [&](std::optional<char32_t> value) {
        if (!value || *value > 0x10FFFF) return false;
        if (bytes) out += static_cast<char>(*value);
        else appendUtf8(out, *value);
        return true;
    };
    if (letter >= '0' && letter <= '7') return append(readDigits(text, at, 3, 8, false));
    if (letter == 'x') return append(readDigits(text, ++at, 2, 16, true));
    if (!bytes && letter == 'u') return append(readDigits(text, ++at, 4, 16, true));
    if (!bytes && letter == 'U') return append(readDigits(text, ++at, 8, 16, true));
    if (!bytes && letter == 'N') return false; // needs the Unicode name table
    out += '\\';                               // unknown escapes stand for themselves
    return true;
}

/// Returns true if each underscore is between two digits, or between the prefix of a base and a digit.
bool areUnderscoresPlaced(std::string_view token) {
    const bool isBased = token.size() > 2 && token[0] == '0' && !isDigit(token[1]) && hexValue(token[1]) != 0xe;
    const auto isDigitAt = [&](std::size_t at) {
        return at < token.size() && (isBased ? hexValue(token[at]) >= 0 : isDigit(token[at]));
    };
    for (std::size_t at = token.find('_'); at != token.npos; at = token.find('_', at + 1))
        if (!isDigitAt(at + 1) || at == 0 || (!isDigitAt(at - 1) && !(isBased && at == 2))) return false;
    return true;
}

/// Returns true for the prefixes that Python knows, in any case: r, u, b, br and rb.
bool isStringPrefix(std::string_view prefix) {
    const auto has = [&](char letter) {
        return std::count_if(prefix.begin(), prefix.end(), [&](char c) { return (c | 0x20) == letter; }) == 1;
    };
    return prefix.empty() || (prefix.size() == 1 && (has('r') || has('u') || has('b'))) ||
           (prefix.size() == 2 && has('r') && has('b'));
}
} // namespace

std::optional<Argument> parseNumber(std::string_view token) {
    if (!areUnderscoresPlaced(token)) return std::nullopt;
    std::string text(token);
    std::erase(text, '_');
    if (text.size() > 2 && text[0] == '0' && !isDigit(text[1]) && text[1] != '.') {
        const char kind = static_cast<char>(text[1] | 0x20);
        if (kind == 'x' || kind == 'o' || kind == 'b')
            return parseInteger(std::string_view(text).substr(2), kind == 'x' ? 16 : kind == 'o' ? 8 : 2);
    }
    if (std::all_of(text.begin(), text.end(), isDigit)) {
        const bool isOctalOnce = text[0] == '0' && text.find_first_not_of('0') != text.npos; // 010 of Python 2
        return isOctalOnce ? std::nullopt : parseInteger(text, 10);
    }
    const bool imaginary = (text.back() | 0x20) == 'j';
    if (imaginary) text.pop_back();
    const auto value = parseFloat(text);
    if (!value) return std::nullopt;
    return imaginary ? Argument(Complex{0, *value}) : Argument(*value);
}

std::optional<Argument> parseString(std::string_view token) {
    bool raw = false, bytes = false;
    if (!isStringPrefix(token.substr(0, token.find_first_of("'\"")))) return std::nullopt;
    while (!token.empty() && token[0] != '"' && token[0] != '\'') {
        const char prefix = static_cast<char>(token[0] | 0x20);
        raw |= prefix == 'r';
        bytes |= prefix == 'b';
        token.remove_prefix(1);
    }
    const std::size_t quotes = token.size() >= 6 && token[1] == token[0] && token[2] == token[0] ? 3 : 1;
    const std::string_view text = token.substr(quotes, token.size() - 2 * quotes);
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        if (bytes && (text[at] & 0x80)) return std::nullopt;
        if (raw || text[at] != '\\' || at + 1 == text.size()) {
            out += text[at++];
        } else if (!appendEscape(out, text, ++at, bytes)) {
            return std::nullopt;
        }
    }
    return bytes ? Argument(Bytes{std::move(out)}) : Argument(std::move(out));
}

} // namespace fx::py
