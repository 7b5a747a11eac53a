// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/numbers/big_integer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace fx::trace {

BigInteger::BigInteger(std::int64_t value)
    : BigInteger(Words{static_cast<std::uint32_t>(value),
                       static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32)}) {}

BigInteger::BigInteger(Words words) : m_words(std::move(words)) {
    const auto repeatsSign = [&] { return m_words.back() == (m_words[m_words.size() - 2] >> 31 ? ~0u : 0u); };
    while (m_words.size() > 1 && repeatsSign()) m_words.pop_back();
}

std::optional<BigInteger> BigInteger::parse(std::string_view digits) {
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (digits.empty() || digits.size() > kMaxBits / 3 || !std::all_of(digits.begin(), digits.end(), isDigit))
        return std::nullopt;
    BigInteger value;
    for (; !digits.empty(); digits.remove_prefix(std::min<std::size_t>(9, digits.size()))) {
        const std::string_view part = digits.substr(0, 9);
        std::int64_t scale = 1, number = 0;
        for (const char c : part) {
            number = number * 10 + (c - '0');
            scale *= 10;
        }
        value = value.times(scale) + number;
    }
    return negative ? -value : value;
}

std::uint32_t BigInteger::divideBy(std::uint32_t small) {
    std::uint64_t rest = 0;
    for (std::size_t i = m_words.size(); i-- > 0;) {
        rest = rest << 32 | m_words[i];
        m_words[i] = static_cast<std::uint32_t>(rest / small);
        rest %= small;
    }
    *this = BigInteger(std::move(m_words));
    return static_cast<std::uint32_t>(rest);
}

std::string BigInteger::toString() const {
    BigInteger left = isNegative() ? -*this : *this;
    std::string text; // the last digit first
    do {
        std::uint32_t part = left.divideBy(1'000'000'000);
        const bool last = left == BigInteger();
        for (int i = 0; last ? part > 0 || i == 0 : i < 9; ++i, part /= 10) text += static_cast<char>('0' + part % 10);
    } while (left != BigInteger());
    if (isNegative()) text += '-';
    std::reverse(text.begin(), text.end());
    return text;
}

std::optional<std::int64_t> BigInteger::toInt64() const {
    if (m_words.size() > 2) return std::nullopt;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(word(1)) << 32 | word(0));
}

double BigInteger::toDouble() const { return std::strtod(toString().c_str(), nullptr); }

BigInteger BigInteger::operator+(const BigInteger& other) const {
    Words words(std::max(m_words.size(), other.m_words.size()) + 1);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        carry += std::uint64_t{word(i)} + other.word(i);
        words[i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    return BigInteger(std::move(words));
}

BigInteger BigInteger::operator-() const {
    Words words(m_words.size() + 1);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = ~word(i);
    return BigInteger(std::move(words)) + BigInteger(1);
}

bool BigInteger::operator<(const BigInteger& other) const { return (*this + -other).isNegative(); }

BigInteger BigInteger::times(const BigInteger& other) const {
    const bool negative = isNegative() != other.isNegative();
    const BigInteger a = isNegative() ? -*this : *this, b = other.isNegative() ? -other : other;
    Words words(a.m_words.size() + b.m_words.size() + 1);
    for (std::size_t i = 0; i < a.m_words.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; i + j < words.size(); ++j) {
            carry += words[i + j] + std::uint64_t{a.m_words[i]} * b.word(j);
            words[i + j] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    const BigInteger product(std::move(words));
    return negative ? -product : product;
}

BigInteger BigInteger::shifted(std::int64_t left) const {
    const std::int64_t whole = left >= 0 ? left / 32 : -((-left + 31) / 32), bits = left - whole * 32;
    const auto size = static_cast<std::int64_t>(m_words.size()) + whole + 1;
    Words words(static_cast<std::size_t>(std::max<std::int64_t>(size, 1)));
    const auto at = [&](std::int64_t i) { return i < 0 ? 0u : word(static_cast<std::size_t>(i)); };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::int64_t from = static_cast<std::int64_t>(i) - whole;
        words[i] = bits == 0 ? at(from) : at(from) << bits | at(from - 1) >> (32 - bits);
    }
    return BigInteger(std::move(words));
}

std::pair<BigInteger, BigInteger> BigInteger::divide(const BigInteger& a, const BigInteger& b) {
    const BigInteger top = a.isNegative() ? -a : a, bottom = b.isNegative() ? -b : b;
    BigInteger quotient, rest;
    for (std::size_t bit = top.m_words.size() * 32; bit-- > 0;) {
        rest = rest + rest + BigInteger(top.m_words[bit / 32] >> (bit % 32) & 1);
        const bool fits = !(rest < bottom);
        if (fits) rest = rest + -bottom;
        quotient = quotient + quotient + BigInteger(fits);
    }
    if (a.isNegative() != b.isNegative()) {
        quotient = -quotient;
        if (rest != BigInteger()) {
            quotient = quotient + BigInteger(-1);
            rest = bottom + -rest;
        }
    }
    return {quotient, b.isNegative() ? -rest : rest};
}

double BigInteger::quotient(const BigInteger& a, const BigInteger& b) {
    const BigInteger top = a.isNegative() ? -a : a, bottom = b.isNegative() ? -b : b;
    const bool isNegative = a.isNegative() != b.isNegative();
    if (top == BigInteger()) return isNegative ? -0.0 : 0.0;
    const auto bitsOf = [](const BigInteger& value) {
        return static_cast<int>(value.m_words.size() * 32) - std::countl_zero(value.m_words.back());
    };
    // The whole quotient of 2**shift * top and bottom has 55 or 56 bits, two or more of which are dropped.
    int shift = 55 - bitsOf(top) + bitsOf(bottom);
    const auto [whole, rest] = divide(top.shifted(std::max(shift, 0)), bottom.shifted(std::max(-shift, 0)));
    const auto bits = static_cast<std::uint64_t>(*whole.toInt64());
    const int dropped = std::max(64 - std::countl_zero(bits) - 53, shift - 1074); // subnormal numbers have fewer bits
    const std::uint64_t half = std::uint64_t{1} << (dropped - 1), lost = bits & (2 * half - 1);
    std::uint64_t kept = bits >> dropped;
    if (lost > half || (lost == half && (rest != BigInteger() || kept % 2))) ++kept;
    const double size = std::ldexp(static_cast<double>(kept), dropped - shift);
    return isNegative ? -size : size;
}

std::optional<BigInteger> BigInteger::binary(std::string_view op, const BigInteger& a, const BigInteger& b) {
    const auto bounded = [](BigInteger value) {
        return value.m_words.size() * 32 <= kMaxBits ? std::optional(std::move(value)) : std::nullopt;
    };
    const auto small = b.toInt64();
    if (op == "add") return bounded(a + b);
    if (op == "sub") return bounded(a + -b);
    if (op == "mul") return bounded(a.times(b));
    if ((op == "floordiv" || op == "mod") && b != BigInteger()) {
        auto [quotient, rest] = divide(a, b);
        return op == "mod" ? rest : quotient;
    }
    if (op == "lshift" && small && *small >= 0 && *small < static_cast<std::int64_t>(kMaxBits))
        return bounded(a.shifted(*small));
    if (op == "rshift" && small && *small >= 0) return a.shifted(-std::min<std::int64_t>(*small, kMaxBits + 64));
    if (op == "pow" && small && *small >= 0) {
        std::optional<BigInteger> out = BigInteger(1);
        if (a == *out) return out;
        if (a == BigInteger(-1) || a == BigInteger()) return a == BigInteger() && *small > 0 ? a : *small % 2 ? a : out;
        for (std::int64_t i = 0; out && i < *small; ++i) out = bounded(out->times(a));
        return out;
    }
    if (op != "and_" && op != "or_" && op != "xor") return std::nullopt;
    Words words(std::max(a.m_words.size(), b.m_words.size()) + 1);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = op == "and_" ? a.word(i) & b.word(i) : op == "or_" ? a.word(i) | b.word(i) : a.word(i) ^ b.word(i);
    return BigInteger(std::move(words));
}

} // namespace fx::trace
