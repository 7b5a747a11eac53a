// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/sympy_text.h"

#include "core/base/listed.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace fx {
namespace {
constexpr int kMaxDepth = 200;

/// sympy.printing.precedence
enum Precedence {
    kIdentity = 10,
    kOr = 20,
    kAnd = 30,
    kRelational = 35,
    kAdd = 40,
    kMul = 50,
    kPow = 60,
    kFunction = 70,
    kNot = 100,
    kAtom = 1000
};

struct Expression {
    std::string head;             ///< constructor; of an atom its text
    std::vector<Expression> args; ///< empty for atoms
    bool atom = false;
};

/// Reads `Head(arg, ..., name=value)`, bare words, numbers and strings.
class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    std::optional<Expression> parse() {
        Expression expression;
        if (!read(expression, 0) || m_at != m_text.size()) return std::nullopt;
        return expression;
    }

private:
    bool read(Expression& out, int depth) {
        if (depth > kMaxDepth) return false;
        out.head = peek() == '\'' ? quoted() : word();
        if (out.head.empty()) return false;
        if (peek() != '(') return out.atom = true;
        ++m_at;
        while (peek() != ')') {
            if (!out.args.empty() || m_text[m_at - 1] != '(') {
                if (!m_text.substr(m_at).starts_with(", ")) return false;
                m_at += 2;
            }
            Expression arg;
            if (!read(arg, depth + 1)) return false;
            if (peek() == '=') { // an assumption such as integer=True
                ++m_at;
                if (!read(arg, depth + 1)) return false;
            } else {
                out.args.push_back(std::move(arg));
            }
        }
        ++m_at;
        return true;
    }

    std::string quoted() {
        const std::size_t end = m_text.find('\'', m_at + 1);
        if (end == std::string_view::npos) return {};
        const std::string_view inside = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return std::string(inside);
    }

    std::string word() {
        const std::size_t start = m_at;
        m_at = std::min(m_text.find_first_of("()=,'", m_at), m_text.size());
        return std::string(m_text.substr(start, m_at - start));
    }

    char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }

    std::string_view m_text;
    std::size_t m_at = 0;
};

struct Printed {
    std::string text;
    int precedence = kAtom;
    bool isSum = false;
};

Printed print(const Expression& expression);

/// sympy's `parenthesize(item, level, strict=False)`.
std::string inParentheses(const Expression& item, int level) {
    Printed printed = print(item);
    return printed.precedence <= level ? "(" + printed.text + ")" : printed.text;
}

std::string joinedArgs(const std::vector<Expression>& args, std::string_view separator) {
    std::string out;
    for (const Expression& arg : args) {
        if (!out.empty()) out += separator;
        out += print(arg).text;
    }
    return out;
}

std::string joinedAbove(const std::vector<Expression>& args, std::string_view separator, int level) {
    std::string out;
    for (const Expression& arg : args) {
        if (!out.empty()) out += separator;
        out += inParentheses(arg, level - 1);
    }
    return out;
}

Printed number(std::string text) {
    const bool negative = text.starts_with('-');
    return {std::move(text), negative ? kAdd : kAtom};
}

/// `Float('0.10000000000000001', precision=53)` prints with 15 digits, trailing zeros dropped.
std::string floatText(const std::string& digits) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.15g", std::strtod(digits.c_str(), nullptr));
    std::string text = buffer;
    std::size_t exponent = text.find('e');
    if (text.find_first_of(".n") == std::string::npos) text.insert(std::min(exponent, text.size()), ".0");
    exponent = text.find('e');
    while (exponent != std::string::npos && text[exponent + 2] == '0') text.erase(exponent + 2, 1);
    return text;
}

Printed sum(const Expression& expression) {
    std::string out;
    for (const Expression& term : expression.args) {
        Printed printed = print(term);
        const bool minus = printed.text.starts_with('-') && !printed.isSum;
        if (minus) printed.text.erase(0, 1);
        if (printed.precedence < kAdd || printed.isSum) printed.text = "(" + printed.text + ")";
        if (out.empty()) out = (minus ? "-" : "") + printed.text;
        else out += (minus ? " - " : " + ") + printed.text;
    }
    return {out, kAdd, true};
}

/// The exponent of a power whose exponent is a negative number, as a positive one: `1/x`, `1/x**2`.
std::optional<Expression> reciprocal(const Expression& power) {
    if (power.head != "Pow" || power.args.size() != 2) return std::nullopt;
    const Expression& exponent = power.args[1];
    if (exponent.head != "Integer" || exponent.args.size() != 1 || !exponent.args[0].head.starts_with('-'))
        return std::nullopt;
    const std::string digits = exponent.args[0].head.substr(1);
    if (digits == "1") return power.args[0];
    Expression positive = power;
    positive.args[1].args[0].head = digits;
    return positive;
}

/// The text of a negative number; empty for anything else.
std::string negativeNumber(const Expression& expression) {
    const std::size_t parts = expression.head == "Rational" ? 2 : 1;
    const bool isNumber = expression.head == "Integer" || expression.head == "Float" || parts == 2;
    if (!isNumber || expression.atom || expression.args.size() != parts) return {};
    std::string text = print(expression).text;
    return text.starts_with('-') ? text : std::string();
}

/// Each part is printed once, as everywhere here: a text may nest many products.
Printed product(const Expression& expression) {
    std::vector<std::string> above, below;
    std::string sign;
    const std::string first = expression.args.empty() ? std::string() : negativeNumber(expression.args[0]);
    const int level = first.empty() ? kMul : kAdd;
    for (std::size_t i = 0; i < expression.args.size(); ++i) {
        const Expression& factor = expression.args[i];
        if (i == 0 && !first.empty()) {
            sign = "-";
            if (first != "-1") above.push_back(first.substr(1));
        } else if (const auto divisor = reciprocal(factor)) {
            below.push_back(inParentheses(*divisor, level));
        } else if (factor.head == "Rational" && factor.args.size() == 2) {
            if (factor.args[0].head != "1") above.push_back(factor.args[0].head);
            below.push_back(factor.args[1].head);
        } else {
            above.push_back(inParentheses(factor, level));
        }
    }
    const auto times = [](const std::vector<std::string>& factors) { return joined(factors, "*"); };
    std::string out = sign + (above.empty() ? "1" : times(above));
    if (below.size() == 1) out += "/" + below[0];
    if (below.size() > 1) out += "/(" + times(below) + ")";
    return {out, level};
}

Printed power(const Expression& expression) {
    const Expression& exponent = expression.args[1];
    const bool isRational = exponent.head == "Rational" && exponent.args.size() == 2;
    const std::string root = isRational ? exponent.args[0].head + '/' + exponent.args[1].head : std::string();
    if (root == "1/2" || root == "-1/2")
        return {(root[0] == '-' ? "1/sqrt(" : "sqrt(") + print(expression.args[0]).text + ")", kPow};
    if (const auto divisor = reciprocal(expression)) return {"1/" + inParentheses(*divisor, kPow), kPow};
    return {inParentheses(expression.args[0], kPow) + "**" + inParentheses(exponent, kPow), kPow};
}

struct Comparison {
    std::string_view head, sign;
};
constexpr std::array<Comparison, 4> kComparisons = {
    {{"StrictGreaterThan", " > "}, {"GreaterThan", " >= "}, {"StrictLessThan", " < "}, {"LessThan", " <= "}}};

/// Functions of torch.utils._sympy that bind weaker than a sum.
constexpr std::array<std::string_view, 7> kWeak = {"ModularIndexing", "Where",      "PythonMod", "Mod",
                                                   "FloatTrueDiv",    "IntTrueDiv", "CleanDiv"};

Printed call(const Expression& expression) {
    const auto& args = expression.args;
    const std::string& head = expression.head;
    if (head == "Equality") return {"Eq(" + joinedArgs(args, ", ") + ")", kFunction};
    if (head == "Unequality") return {"Ne(" + joinedArgs(args, ", ") + ")", kFunction};
    if (head == "ExprCondPair") return {"(" + joinedArgs(args, ", ") + ")", kAtom};
    if (head == "And") return {joinedAbove(args, " & ", 36), kAnd};
    if (head == "Or") return {joinedAbove(args, " | ", 38), kOr};
    if ((head == "FloorDiv" || head == "CleanDiv") && args.size() == 2)
        return {"(" + inParentheses(args[0], kAtom - 1) + "//" + inParentheses(args[1], kAtom - 1) + ")", kRelational};
    if (head == "Identity" && args.size() == 1) return {"(" + print(args[0]).text + ")", kIdentity};
    if (head == "Not" && args.size() == 1) return {"~" + inParentheses(args[0], kNot), kNot};
    int precedence = kFunction;
    if (std::find(kWeak.begin(), kWeak.end(), head) != kWeak.end()) precedence = kRelational;
    if (head == "PowByNatural") precedence = kMul;
    if (head == "FloatPow") precedence = kPow;
    return {head + "(" + joinedArgs(args, ", ") + ")", precedence};
}

Printed print(const Expression& expression) {
    const auto& args = expression.args;
    if (expression.atom) {
        if (expression.head == "true") return {"True"};
        if (expression.head == "false") return {"False"};
        return number(expression.head);
    }
    if ((expression.head == "Symbol" || expression.head == "Dummy") && args.size() == 1) return {args[0].head};
    if (expression.head == "Integer" && args.size() == 1) return number(args[0].head);
    if (expression.head == "Float" && args.size() == 1) return number(floatText(args[0].head));
    if (expression.head == "Rational" && args.size() == 2)
        return {args[0].head + "/" + args[1].head, args[0].head.starts_with('-') ? kAdd : kMul};
    if (expression.head == "Add") return sum(expression);
    if (expression.head == "Mul") return product(expression);
    if (expression.head == "Pow" && args.size() == 2) return power(expression);
    for (const Comparison& comparison : kComparisons)
        if (expression.head == comparison.head && args.size() == 2)
            return {inParentheses(args[0], kRelational) + std::string(comparison.sign) +
                        inParentheses(args[1], kRelational),
                    kRelational};
    return call(expression);
}
} // namespace

std::string sympyText(std::string_view constructors) {
    const auto expression = Parser(constructors).parse();
    return expression ? print(*expression).text : std::string(constructors);
}

} // namespace fx
