// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/size_expression.h"

#include "core/base/plain_number.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace fx {
namespace {

constexpr int kMostNested = 100;
constexpr std::size_t kMostParts = 1000; ///< a long sum nests as deep as it is long

/// What is printed, and the name of its constructor.
struct Spelling {
    std::string_view text, head;
};
constexpr std::array<Spelling, 5> kComparisons = {{{">=", "GreaterThan"},
                                                   {"<=", "LessThan"},
                                                   {">", "StrictGreaterThan"},
                                                   {"<", "StrictLessThan"},
                                                   {"==", "Equality"}}};
constexpr std::array<Spelling, 2> kCalled = {{{"Eq", "Equality"}, {"Ne", "Unequality"}}};

std::int64_t floorDivided(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
    if (exponent < 0 || exponent > 64) return std::nullopt;
    std::int64_t result = 1;
    for (; exponent > 0; --exponent)
        if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
    return result;
}

/// Applies a function to two numbers; nullopt for an unknown function.
std::optional<std::int64_t> applied(std::string_view head, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (head == "Add") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (head == "Mul") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (head == "Pow") return power(a, b);
    if (head == "Min") return std::min(a, b);
    if (head == "Max") return std::max(a, b);
    if (head == "GreaterThan") return a >= b;
    if (head == "LessThan") return a <= b;
    if (head == "StrictGreaterThan") return a > b;
    if (head == "StrictLessThan") return a < b;
    if (head == "Equality") return a == b;
    if (head == "Unequality") return a != b;
    if (b == 0 || b == -1) return std::nullopt;
    if (head == "FloorDiv" || head == "CleanDiv") return floorDivided(a, b);
    if (head == "Mod" || head == "PythonMod") return a - floorDivided(a, b) * b;
    if (head == "/" && a % b == 0) return a / b;
    return std::nullopt;
}

} // namespace

class SizeExpression::Parser {
public:
    Parser(std::string_view text, std::vector<Part>& parts) : m_text(text), m_parts(parts) {}

    bool parse() {
        const auto whole = comparison(0);
        space();
        return whole && m_at == m_text.size() && m_parts.size() <= kMostParts;
    }

private:
    using Place = std::optional<std::size_t>;

    Place add(Part part) {
        m_parts.push_back(std::move(part));
        return m_parts.size() - 1;
    }
    Place call(std::string_view head, Place a, Place b) {
        if (!a || !b) return std::nullopt;
        return add({std::string(head), 0, {*a, *b}});
    }
    Place negative(Place place) {
        if (!place || !m_parts[*place].head.empty()) return call("Mul", add({{}, -1}), place);
        m_parts[*place].number *= -1; // no overflow: the parser reads no number below -INT64_MAX
        return place;
    }
    void space() { m_at = std::min(m_text.find_first_not_of(' ', m_at), m_text.size()); }
    bool takes(std::string_view text) {
        space();
        if (!m_text.substr(m_at).starts_with(text)) return false;
        m_at += text.size();
        return true;
    }

    Place comparison(int depth) {
        const Place left = sum(depth);
        for (const Spelling& sign : kComparisons)
            if (left && takes(sign.text)) return call(sign.head, left, sum(depth));
        return left;
    }

    Place sum(int depth) {
        Place out = product(depth);
        while (out) {
            const bool minus = takes("-");
            if (!minus && !takes("+")) break;
            const Place term = product(depth);
            out = call("Add", out, minus ? negative(term) : term);
        }
        return out;
    }

    Place product(int depth) {
        if (depth > kMostNested || m_parts.size() > kMostParts) return std::nullopt;
        if (takes("-")) return negative(product(depth + 1));
        Place out = factor(depth);
        while (out) {
            if (takes("//")) out = call("FloorDiv", out, factor(depth));
            else if (takes("/")) out = call("/", out, factor(depth));
            else if (takes("*")) out = call("Mul", out, factor(depth));
            else break;
        }
        return out;
    }

    Place factor(int depth) {
        const Place base = atom(depth);
        return base && takes("**") ? call("Pow", base, atom(depth)) : base;
    }

    Place atom(int depth) {
        if (depth > kMostNested) return std::nullopt;
        if (takes("(")) {
            const Place inside = comparison(depth + 1);
            return inside && takes(")") ? inside : std::nullopt;
        }
        const std::size_t start = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_'))
            ++m_at;
        const std::string_view word = m_text.substr(start, m_at - start);
        if (const auto number = plainNumber(word)) return add({{}, *number});
        if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0]))) return std::nullopt;
        return takes("(") ? arguments(word, depth) : add({std::string(word)});
    }

    /// The arguments of a function of two; further ones nest its calls: Max(Max(a, b), c).
    Place arguments(std::string_view name, int depth) {
        for (const Spelling& known : kCalled)
            if (name == known.text) name = known.head;
        Place out = comparison(depth + 1);
        if (!takes(",")) return std::nullopt;
        do out = call(name, out, comparison(depth + 1));
        while (out && takes(","));
        return out && takes(")") ? out : std::nullopt;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::vector<Part>& m_parts;
};

std::optional<SizeExpression> SizeExpression::parse(std::string_view text) {
    SizeExpression expression;
    if (!Parser(text, expression.m_parts).parse()) return std::nullopt;
    return expression;
}

std::optional<std::int64_t> SizeExpression::value(std::size_t place, const SymbolValue& symbols) const {
    const Part& part = m_parts[place];
    if (part.head.empty()) return part.number;
    if (part.args.empty()) return symbols(part.head);
    const auto a = value(part.args[0], symbols), b = value(part.args[1], symbols);
    return a && b ? applied(part.head, *a, *b) : std::nullopt;
}

void SizeExpression::forEachSymbol(const std::function<void(const std::string&)>& visit) const {
    for (const Part& part : m_parts)
        if (!part.head.empty() && part.args.empty()) visit(part.head);
}

std::string SizeExpression::constructors(std::size_t place,
                                         const std::function<std::string(const std::string&)>& symbol) const {
    const Part& part = m_parts[place];
    if (part.head.empty()) return "Integer(" + std::to_string(part.number) + ")";
    if (part.args.empty()) return symbol(part.head);
    const std::string a = constructors(part.args[0], symbol), b = constructors(part.args[1], symbol);
    if (part.head == "/") return "Mul(" + a + ", Pow(" + b + ", Integer(-1)))";
    return part.head + "(" + a + ", " + b + ")";
}

} // namespace fx
