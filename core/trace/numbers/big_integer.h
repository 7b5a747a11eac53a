// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx::trace {

/// Python's int: any size, up to kMaxBits. Two's complement of as many 32-bit words as needed, least significant first;
/// the last word's highest bit is the sign, and there are no words that only repeat the sign.
class BigInteger {
public:
    static constexpr std::size_t kMaxBits = 1 << 10; ///< longer results are refused, so that no expression takes long

    BigInteger(std::int64_t value = 0);
    /// Decimal digits with an optional sign; nullopt for other text and beyond kMaxBits.
    static std::optional<BigInteger> parse(std::string_view digits);
    std::string toString() const;
    std::optional<std::int64_t> toInt64() const;
    double toDouble() const; ///< correctly rounded; infinite beyond the range
    bool isNegative() const { return m_words.back() >> 31; }

    /// `op` as in the operator module: add sub mul floordiv mod pow lshift rshift and_ or_ xor. nullopt for other
    /// operators, beyond kMaxBits, for a negative exponent or shift, and for a divisor of zero.
    static std::optional<BigInteger> binary(std::string_view op, const BigInteger& a, const BigInteger& b);
    BigInteger operator-() const;
    BigInteger operator+(const BigInteger& other) const;
    bool operator<(const BigInteger& other) const;
    bool operator==(const BigInteger& other) const = default;

private:
    using Words = std::vector<std::uint32_t>;
    explicit BigInteger(Words words);
    std::uint32_t word(std::size_t i) const { return i < m_words.size() ? m_words[i] : isNegative() ? ~0u : 0u; }
    BigInteger times(const BigInteger& other) const;
    BigInteger shifted(std::int64_t left) const;
    /// Quotient rounded down, and the remainder.
    static std::pair<BigInteger, BigInteger> divide(const BigInteger& a, const BigInteger& b);
    std::uint32_t divideBy(std::uint32_t small); ///< for a non-negative number; returns the remainder

    Words m_words;
};

} // namespace fx::trace
