// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// A printed symbolic size: arithmetic of integers and symbols as sympy prints it, "2*s77" or "((s27 - 1)//2) + 1".
///
/// Nesting is limited to 100 levels, and the length to 1,000 numbers, symbols and operations. Anything else that is not
/// understood makes `parse` or `value` return nullopt.
class SizeExpression {
public:
    /// Parses a text; nullopt if it is not arithmetic.
    static std::optional<SizeExpression> parse(std::string_view text);
    /// The value of a symbol, or nullopt.
    using SymbolValue = std::function<std::optional<std::int64_t>(std::string_view symbol)>;
    /// Computes the value; a comparison gives 1 or 0. Returns nullopt for an unknown symbol or function, a division
    /// that leaves a remainder, and on overflow.
    std::optional<std::int64_t> value(const SymbolValue& symbols) const { return value(m_parts.size() - 1, symbols); }
    /// Calls `visit` for each mention of a symbol.
    void forEachSymbol(const std::function<void(const std::string& symbol)>& visit) const;
    /// Returns the expression as constructor calls like `sympy.srepr`: "Mul(Integer(2), Symbol('s77', integer=True))".
    /// `symbol` gives the constructor of a symbol.
    std::string constructors(const std::function<std::string(const std::string& symbol)>& symbol) const {
        return constructors(m_parts.size() - 1, symbol);
    }

private:
    class Parser;
    struct Part {
        std::string head;                ///< "Add", "Mul", "FloorDiv", …, or the name of a symbol; empty: a number
        std::int64_t number = 0;         ///< of a number
        std::vector<std::size_t> args{}; ///< indices of the operands; a symbol has none
    };
    std::optional<std::int64_t> value(std::size_t place, const SymbolValue& symbols) const;
    std::string constructors(std::size_t place,
                             const std::function<std::string(const std::string& symbol)>& symbol) const;

    std::vector<Part> m_parts; ///< the last one is the whole
};

} // namespace fx
