// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/namespace.h"

#include "core/base/python_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
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
    std::string out(text.size(), '_');
    std::size_t length = 0;
    bool inRun = false;
    for (const char c : text) {
        const bool isPart = isWord(c);
        if (isPart || !inRun) out[length++] = isPart ? c : '_';
        inRun = !isPart;
    }
    out.resize(length);
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

/// The number of the suffix if NumberBits has a bit for it: small, and without zeros in front.
std::optional<std::uint64_t> numberAt(std::string_view name, std::size_t suffix) {
    if (suffix == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(suffix + 1);
    if (digits.size() > 12 || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number < NumberBits::kLimit ? std::optional(number) : std::nullopt;
}

} // namespace

/// A name as Namespace stores it: a text, and a number below NumberBits::kLimit, or none.
struct Namespace::Numbered {
    std::string_view text;
    std::optional<std::uint64_t> number;
};

Namespace::Numbered Namespace::split(std::string_view name) {
    const std::size_t suffix = suffixStart(name);
    const auto number = numberAt(name, suffix);
    return {number ? name.substr(0, suffix) : name, number};
}

bool Namespace::isUsed(std::string_view name) const {
    const auto [text, number] = split(name);
    const auto place = m_texts.find(text);
    if (place == Texts::kNone) return false;
    return number ? m_numbers.contains(place, *number) : m_texts[place].used;
}

void Namespace::setUsed(std::string_view name, bool used) {
    const auto [text, number] = split(name);
    const auto place = m_texts.enter(text);
    if (number) m_numbers.set(place, *number, used);
    else if (m_texts[place].used != used) m_texts.mut(place).used = used;
}

/// Whether nobody has the text at `base` with this number.
bool Namespace::isFree(Texts::Place base, const NameCounter& counter) const {
    if (counter.value() < NumberBits::kLimit) return !m_numbers.contains(base, counter.value());
    return !isUsed(m_texts.key(base) + "_" + counter.digits());
}

std::string Namespace::create(std::string_view candidate, bool isThatBuiltin) {
    std::string name = isPlainName(candidate) ? std::string(candidate) : legalised(candidate);
    const std::size_t suffix = suffixStart(name);
    const auto number = numberAt(name, suffix);
    const auto base = m_texts.enter(std::string_view(name).substr(0, suffix));
    NameCounter& counter = m_texts.mut(base);
    const auto renumber = [&] { name.assign(m_texts.key(base)).append("_").append(counter.digits()); };
    if (suffix == std::string::npos) {
        if (!counter.isCounted()) counter.countFrom(0);
        bool isTaken = counter.used;
        if (!isThatBuiltin && isReserved(counter, name)) {
            counter.increment();
            isTaken = !isFree(base, counter);
            renumber();
        } else if (!isTaken) {
            counter.used = true;
            return name;
        }
        if (isTaken) countOn(base, counter), renumber();
    } else if (number ? m_numbers.contains(base, *number) : isUsed(name)) {
        if (!counter.isCounted()) counter.countFrom(0);
        countOn(base, counter), renumber();
    } else if (number) {
        counter.countFrom(*number);
        m_numbers.set(base, *number, true);
        return name;
    } else {
        const std::size_t first = name.find_first_not_of('0', suffix + 1);
        counter.count(first == std::string::npos ? "0" : std::string_view(name).substr(first));
        setUsed(name, true);
        return name;
    }
    if (counter.value() < NumberBits::kLimit) m_numbers.set(base, counter.value(), true);
    else setUsed(name, true);
    return name;
}

/// Counts to the next number that nobody has with the text at `base`.
void Namespace::countOn(Texts::Place base, NameCounter& counter) const {
    do counter.increment();
    while (!isFree(base, counter));
}

bool Namespace::isReserved(NameCounter& counter, std::string_view text) {
    if (!counter.isReserved) counter.isReserved = isReservedName(text);
    return *counter.isReserved;
}

Namespace::Entry Namespace::at(std::string_view name) const {
    const auto place = m_texts.find(name);
    return {isUsed(name), place == Texts::kNone ? std::string() : m_texts[place].digits()};
}

void Namespace::set(std::string_view name, const Entry& entry) {
    setUsed(name, entry.used);
    const auto place = entry.lastNumber.empty() ? m_texts.find(name) : m_texts.enter(name);
    if (place != Texts::kNone) m_texts.mut(place).count(entry.lastNumber);
}

void Namespace::addDifferences(const Namespace& other, std::vector<std::string>& names) const {
    for (Texts::Place place = 0; place < m_texts.size(); ++place)
        if (const std::string& name = m_texts.key(place); !(at(name) == other.at(name))) names.push_back(name);
    m_numbers.forEach([&](Texts::Place place, std::uint64_t first, std::uint64_t bits) {
        const std::string& text = m_texts.key(place);
        const auto there = other.m_texts.find(text);
        std::uint64_t different = bits ^ (there == Texts::kNone ? 0 : other.m_numbers.bits(there, first));
        for (std::uint64_t number = first; different != 0; different >>= 1, ++number)
            if (different & 1) names.push_back(text + "_" + std::to_string(number));
    });
}

std::vector<std::string> Namespace::differences(const Namespace& other) const {
    std::vector<std::string> names;
    addDifferences(other, names);
    other.addDifferences(*this, names);
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
