// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/namespace.h"

#include "core/base/python_text.h"

#include <algorithm>
#include <array>
#include <unordered_set>

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
        if (isWord(c)) out += c;
        else if (!inRun) out += '_';
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
    const auto basePlace = m_names.enter(base);
    std::string number;
    if (suffix == std::string::npos || isUsed(name)) {
        number = m_names[basePlace].lastNumber;
        if (number.empty()) number = "0";
        if (!isThatBuiltin && isReservedName(name)) {
            number = incremented(std::move(number));
            name = base + "_" + number;
        }
    } else {
        const std::size_t first = name.find_first_not_of('0', suffix + 1);
        number = first == std::string::npos ? "0" : name.substr(first);
    }
    auto place = m_names.enter(name);
    while (m_names[place].used) {
        number = incremented(std::move(number));
        name.assign(base).append("_").append(number);
        place = m_names.enter(name);
    }
    m_names.mut(place).used = true;
    m_names.mut(basePlace).lastNumber = std::move(number);
    return name;
}

const Namespace::Entry& Namespace::at(std::string_view name) const {
    static const Entry kNothing;
    const auto place = m_names.find(name);
    return place == m_names.kNone ? kNothing : m_names[place];
}

std::vector<std::string> Namespace::differences(const Namespace& other) const {
    std::vector<std::string> names;
    for (const auto* space : {this, &other})
        for (std::uint32_t place = 0; place < space->m_names.size(); ++place)
            if (const std::string& name = space->m_names.key(place); !(at(name) == other.at(name)))
                names.push_back(name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
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
