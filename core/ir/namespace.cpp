// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/namespace.h"

#include "core/base/python_text.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {
constexpr std::array<std::string_view, 7> kCustomBuiltins = {"NoneType", "device", "fx_pytree", "inf",
                                                             "nan",      "pytree", "torch"};

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isWord(char c) { return isDigit(c) || isLower(c) || isUpper(c) || c == '_'; }

bool isPlainName(std::string_view text) {
    return !text.empty() && !isDigit(text[0]) && std::all_of(text.begin(), text.end(), isWord);
}

/// Every run of characters that a name cannot have becomes one `_`.
std::string legalised(std::string_view text) {
    std::string out;
    bool inRun = false;
    for (const char c : text) {
        if (isWord(c))
            out += c;
        else if (!inRun)
            out += '_';
        inRun = !isWord(c);
    }
    if (out.empty()) out = "_unnamed";
    if (isDigit(out[0])) out.insert(out.begin(), '_');
    return out;
}

/// Where the suffix `_digits` of a name starts, npos when it has none; the base before it is never empty.
std::size_t suffixStart(std::string_view name) {
    std::size_t digits = name.size();
    while (digits > 0 && isDigit(name[digits - 1])) --digits;
    return digits == name.size() || digits < 2 || name[digits - 1] != '_' ? std::string_view::npos : digits - 1;
}

/// The decimal number `digits` plus one.
std::string incremented(std::string digits) {
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (digits[i] != '9') {
            ++digits[i];
            return digits;
        }
        digits[i] = '0';
    }
    return "1" + digits;
}
} // namespace

std::string Namespace::create(std::string_view candidate, bool isThatBuiltin) {
    std::string name = isPlainName(candidate) ? std::string(candidate) : legalised(candidate);
    const std::size_t suffix = suffixStart(name);
    const std::string base = name.substr(0, suffix);
    auto last = m_state.lastNumbers.find(base);
    std::string number;
    if (suffix == std::string::npos || m_state.used.contains(name)) {
        number = last == m_state.lastNumbers.end() ? "0" : last->second;
        if (!isThatBuiltin && isReservedName(name)) {
            number = incremented(std::move(number));
            name = base + "_" + number;
        }
    } else {
        const std::size_t first = name.find_first_not_of('0', suffix + 1);
        number = first == std::string::npos ? "0" : name.substr(first);
    }
    while (!m_state.used.insert(name).second) {
        number = incremented(std::move(number));
        name.assign(base).append("_").append(number);
    }
    if (last == m_state.lastNumbers.end())
        m_state.lastNumbers.emplace(base, std::move(number));
    else
        last->second = std::move(number);
    return name;
}

bool isReservedName(std::string_view name) {
    static const std::unordered_set<std::string_view> kReserved = [] {
        std::unordered_set<std::string_view> all(std::begin(kCustomBuiltins), std::end(kCustomBuiltins));
        for (const auto names : {pythonKeywords(), pythonBuiltins()}) all.insert(names.begin(), names.end());
        return all;
    }();
    return kReserved.contains(name);
}

std::string snakeCase(std::string_view text) {
    std::string out;
    out.reserve(text.size() + 4);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i > 0 && isUpper(text[i]) && isLower(text[i - 1])) out += '_';
        out += isUpper(text[i]) ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    }
    return out;
}

} // namespace fx
