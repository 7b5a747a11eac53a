// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/size_fit.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace fx {
namespace {

constexpr std::size_t kMostKnown = 48; ///< pairs of them are tried
constexpr std::int64_t kMostDivisor = 64, kMostFactor = 4;
constexpr std::int64_t kMostValue = std::int64_t{1} << 31; ///< of all numbers, so that products do not overflow

using Values = SizeFit::Values;

/// `op(a, b)` of every sample.
template<class Operation> Values each(const Values& a, const Values& b, const Operation& op) {
    Values out(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = op(a[i], b[i]);
    return out;
}

bool isConstant(const Values& values) {
    return std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value == values.front(); });
}

bool isSmall(const Values& values) {
    return !values.empty() && std::all_of(values.begin(), values.end(),
                                          [](auto value) { return value > -kMostValue && value < kMostValue; });
}

/// The offset if `values` are `factor` times `of` plus a number.
std::optional<std::int64_t> offsetFrom(const Values& values, const Values& of, std::int64_t factor) {
    const Values rest = each(values, of, [factor](std::int64_t a, std::int64_t b) { return a - factor * b; });
    return isConstant(rest) ? std::optional(rest.front()) : std::nullopt;
}

/// The whole factor by which `values` grow with `of`, from the first two samples that differ.
std::optional<std::int64_t> slope(const Values& values, const Values& of) {
    if (!isSmall(of)) return std::nullopt;
    for (std::size_t i = 1; i < of.size(); ++i) {
        if (of[i] == of[0]) continue;
        const std::int64_t rise = values[i] - values[0], run = of[i] - of[0];
        return rise % run == 0 && rise != 0 ? std::optional(rise / run) : std::nullopt;
    }
    return std::nullopt;
}

bool isAtom(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '(') ++depth;
        if (text[i] == ')') --depth;
        if (depth == 0 && i + 1 < text.size() && (text[i] == ' ' || text[i] == '*' || text[i] == '/' || text[i] == '-'))
            return false;
    }
    return true;
}

std::string factor(const std::string& text) { return isAtom(text) ? text : "(" + text + ")"; }

std::string times(std::int64_t number, const std::string& text) {
    if (number == 1) return text;
    if (number == -1) return "-" + factor(text);
    return std::to_string(number) + "*" + factor(text);
}

std::string plus(const std::string& text, std::int64_t number) {
    if (number == 0) return text;
    return text + (number < 0 ? " - " : " + ") + std::to_string(number < 0 ? -number : number);
}

} // namespace

void SizeFit::add(const std::string& text, const Values& values) {
    const auto same = [&](const Known& known) { return known.text == text || known.values == values; };
    if (m_known.size() >= kMostKnown || !isSmall(values) || isConstant(values) ||
        std::any_of(m_known.begin(), m_known.end(), same))
        return;
    Known added{text, values};
    for (const Known& known : m_known) {
        const auto by = slope(values, known.values);
        if (!by || *by < 0 || !offsetFrom(values, known.values, *by)) continue;
        added.factor = *by;
        break;
    }
    m_known.push_back(std::move(added));
}

std::optional<std::string> SizeFit::fit(const Values& values) {
    if (!isSmall(values)) return std::nullopt;
    const auto [fitted, isNew] = m_fitted.try_emplace(values);
    if (isNew) fitted->second = found(values);
    return fitted->second;
}

std::optional<std::string> SizeFit::found(const Values& values) const {
    if (isConstant(values)) return std::to_string(values.front());
    for (const Known& known : m_known)
        if (known.values == values) return known.text;
    if (auto one = ofOne(values)) return one;
    if (auto two = ofTwo(values)) return two;
    return rounded(values);
}

std::optional<std::string> SizeFit::ofOne(const Values& values) const {
    for (const Known& known : m_known) {
        const auto by = slope(values, known.values);
        const auto offset = by ? offsetFrom(values, known.values, *by) : std::nullopt;
        if (offset) return plus(times(*by, known.text), *offset);
    }
    return std::nullopt;
}

/// Only if one division alone, with one offset, gives all values. Divisions of a known size that equal those of an
/// earlier one are not tried: (2*a)//6 is a//3.
std::optional<std::string> SizeFit::rounded(const Values& values) const {
    std::optional<std::string> found;
    for (const Known& known : m_known)
        for (std::int64_t by = 1; by <= kMostFactor; ++by)
            for (std::int64_t divisor = 2; divisor <= kMostDivisor; ++divisor) {
                const std::int64_t factor = by * std::max<std::int64_t>(known.factor, 1);
                if (std::gcd(factor, divisor) != 1 || (known.factor > 0 && factor <= kMostFactor)) continue;
                std::int64_t low = INT64_MIN, high = INT64_MAX;
                for (std::size_t i = 0; i < values.size() && low <= high; ++i) {
                    const std::int64_t least = values[i] * divisor - by * known.values[i];
                    low = std::max(low, least), high = std::min(high, least + divisor - 1);
                }
                if (low > high) continue;
                if (found || low < high) return std::nullopt;
                const std::int64_t whole = (low > 0 ? low + divisor - 1 : low) / divisor;
                found = plus("((" + plus(times(by, known.text), low - whole * divisor) + ")//" +
                                 std::to_string(divisor) + ")",
                             whole);
            }
    return found;
}

std::optional<std::string> SizeFit::ofTwo(const Values& values) const {
    for (std::size_t a = 0; a < m_known.size(); ++a)
        for (std::size_t b = a; b < m_known.size(); ++b) {
            const Known &one = m_known[a], &other = m_known[b];
            const Values product = each(one.values, other.values, [](std::int64_t x, std::int64_t y) { return x * y; });
            if (const auto by = slope(values, product))
                if (const auto offset = offsetFrom(values, product, *by))
                    return plus((*by == 1 ? "" : std::to_string(*by) + "*") + factor(one.text) + "*" +
                                    factor(other.text),
                                *offset);
            if (a == b) continue;
            for (const std::int64_t sign : {1, -1}) {
                const Values sum = each(one.values, other.values, [sign](auto x, auto y) { return x + sign * y; });
                const auto by = slope(values, sum);
                const auto offset = by ? offsetFrom(values, sum, *by) : std::nullopt;
                if (!offset) continue;
                if (sign > 0) return plus(times(*by, one.text + " + " + other.text), *offset);
                const Known &first = *by < 0 ? other : one, &second = *by < 0 ? one : other;
                return plus(times(std::abs(*by), first.text + " - " + factor(second.text)), *offset);
            }
        }
    return std::nullopt;
}

std::optional<std::string> SizeFit::fitStride(std::size_t dimension, const std::vector<Values>& sizes,
                                              const std::vector<std::string>& sizeTexts,
                                              const std::vector<Values>& strides) {
    const Values& wanted = strides[dimension];
    if (!isSmall(wanted)) return std::nullopt;
    if (isConstant(wanted)) return std::to_string(wanted.front());
    for (const Known& known : m_known)
        if (known.values == wanted) return known.text;
    // of a dense tensor: the product of the sizes inside
    Values product(wanted.size(), 1);
    std::string text;
    std::int64_t number = 1;
    for (std::size_t other = 0; other < sizes.size(); ++other) {
        bool isInside = true;
        for (std::size_t i = 0; i < wanted.size(); ++i)
            isInside = isInside && (strides[other][i] < wanted[i] ||
                                    (strides[other][i] == wanted[i] && other > dimension && sizes[other][i] != 1));
        if (!isInside) continue;
        product = each(product, sizes[other], [](std::int64_t a, std::int64_t b) {
            std::int64_t out = 0;
            return __builtin_mul_overflow(a, b, &out) ? 0 : out;
        });
        if (!isConstant(sizes[other])) text += (text.empty() ? "" : "*") + factor(sizeTexts[other]);
        else if (__builtin_mul_overflow(number, sizes[other].front(), &number)) return std::nullopt;
    }
    if (!text.empty() && std::all_of(product.begin(), product.end(), [](std::int64_t value) { return value > 0; })) {
        const Values ratio = each(wanted, product, [](auto a, auto b) { return a % b == 0 ? a / b : 0; });
        if (isConstant(ratio) && ratio.front() > 0)
            return number * ratio.front() == 1 ? text : std::to_string(number * ratio.front()) + "*" + text;
    }
    return fit(wanted);
}

} // namespace fx
