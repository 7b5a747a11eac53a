// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx::trace {

/// A Python int of up to kMaxBits, in two's complement with the least significant 32-bit word first. The highest bit of
/// the last word is the sign, and no word only repeats the sign.
class BigInteger {
public:
    /// The greatest size; longer results are refused, which bounds the time of an expression.
    static constexpr std::size_t kMaxBits = 1 << 10;

    BigInteger(std::int64_t value = 0);
    /// Parses decimal digits with an optional sign; nullopt for other text and above kMaxBits.
    static std::optional<BigInteger> parse(std::string_view digits);
    /// Returns the decimal digits.
    std::string toString() const;
    /// Returns the value if 64 bits hold it.
    std::optional<std::int64_t> toInt64() const;
    double toDouble() const;                                 ///< correctly rounded; infinite outside of the range
    bool isNegative() const { return m_words.back() >> 31; } ///< the sign bit

    /// Computes `a op b`; `op` is as in the operator module: add sub mul floordiv mod pow lshift rshift and_ or_ xor.
    /// Returns nullopt for other operators, above kMaxBits, for a negative exponent or shift, and for a zero divisor.
    static std::optional<BigInteger> binary(std::string_view op, const BigInteger& a, const BigInteger& b);
    /// Computes `a / b`, rounded once, half to even. `b` is not zero.
    static double quotient(const BigInteger& a, const BigInteger& b);
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
    /// Returns the quotient rounded down, and the remainder.
    static std::pair<BigInteger, BigInteger> divide(const BigInteger& a, const BigInteger& b);
    std::uint32_t divideBy(std::uint32_t small); ///< only for non-negative numbers; returns the remainder

    Words m_words;
};

} // namespace fx::trace
