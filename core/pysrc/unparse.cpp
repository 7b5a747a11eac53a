// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/unparse.h"

#include "core/ir/print.h"

#include <array>

namespace fx::py {
namespace {

/// How tightly an expression binds, as in CPython's ast_unparse.c: brackets are needed around a looser one.
enum Level {
    kTuple,
    kTest,
    kOr,
    kAnd,
    kNot,
    kCompare,
    kBitOr,
    kBitXor,
    kBitAnd,
    kShift,
    kSum,
    kTerm,
    kFactor,
    kPower,
    kAwait,
    kAtom
};

struct Operator {
    std::string_view sign;
    Level level;
};
constexpr std::array<Operator, 15> kOperators{{{"or", kOr},
                                               {"and", kAnd},
                                               {"|", kBitOr},
                                               {"^", kBitXor},
                                               {"&", kBitAnd},
                                               {"<<", kShift},
                                               {">>", kShift},
                                               {"+", kSum},
                                               {"-", kSum},
                                               {"*", kTerm},
                                               {"/", kTerm},
                                               {"//", kTerm},
                                               {"%", kTerm},
                                               {"@", kTerm},
                                               {"**", kPower}}};
constexpr int kDeepest = 400; ///< nested further, the source is quoted

class Unparser {
public:
    explicit Unparser(std::string_view source) : m_source(source) {}

    void write(const Expr& expr, Level level) {
        if (expr.depth > kDeepest) return quote(expr);
        switch (expr.kind) {
        case ExprKind::Name: out += expr.text; return;
        case ExprKind::Constant: return constant(*expr.constant);
        case ExprKind::Attribute: return attribute(expr);
        case ExprKind::Subscript: return subscript(expr);
        case ExprKind::Call: return call(expr);
        case ExprKind::Tuple: return tuple(expr, level);
        case ExprKind::List: return bracketed("[", expr.items, "]");
        case ExprKind::Set: return bracketed("{", expr.items, "}");
        case ExprKind::Dict: return dict(expr);
        case ExprKind::Slice: return slice(expr);
        case ExprKind::Unary: return unary(expr, level);
        case ExprKind::Binary:
            if (isChain(expr)) return within(level > kCompare, [&] { chain(expr); });
            return binary(expr, level);
        case ExprKind::Compare: return within(level > kCompare, [&] { chain(expr); });
        case ExprKind::Conditional:
            return within(level > kTest, [&] {
                write(*expr.items[0], kOr);
                out += " if ";
                write(*expr.items[1], kOr);
                out += " else ";
                write(*expr.items[2], kTest);
            });
        case ExprKind::Starred: out += '*'; return write(*expr.items[0], kBitOr);
        case ExprKind::Comprehension:
        case ExprKind::Clause:
        case ExprKind::Lambda:
        case ExprKind::Named:
        case ExprKind::Joined:
        case ExprKind::Formatted:
        case ExprKind::Yield: return quote(expr);
        }
    }

    std::string out;

private:
    void quote(const Expr& expr) { out += m_source.substr(expr.offset, expr.end - expr.offset); }

    template<class Write> void within(bool brackets, Write inside) {
        if (brackets) out += '(';
        inside();
        if (brackets) out += ')';
    }

    void all(std::span<const Expr* const> items) {
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0) out += ", ";
            write(*items[i], kTest);
        }
    }

    void bracketed(const char* opens, std::span<const Expr* const> items, const char* closes) {
        out += opens;
        all(items);
        out += closes;
    }

    void constant(const Argument& value) {
        if (value.as<EllipsisValue>()) {
            out += "...";
        } else if (value.as<double>() || value.as<Complex>()) { // CPython has no literal for infinity either
            const std::string text = reprOf(Graph(), value);
            const std::size_t inf = text.find("inf");
            out += inf == text.npos ? text : text.substr(0, inf) + "1e309" + text.substr(inf + 3);
        } else {
            out += reprOf(Graph(), value);
        }
    }

    void attribute(const Expr& expr) {
        const Expr& object = *expr.items[0];
        write(object, kAtom);
        // `1.real` would be a number.
        if (object.kind == ExprKind::Constant && object.constant->as<std::int64_t>()) out += ' ';
        out += '.';
        out += expr.text;
    }

    void subscript(const Expr& expr) {
        write(*expr.items[0], kAtom);
        out += '[';
        write(*expr.items[1], kTuple);
        out += ']';
    }

    void tuple(const Expr& expr, Level level) {
        if (expr.items.empty()) {
            out += "()";
            return;
        }
        within(level > kTuple, [&] {
            all(expr.items);
            if (expr.items.size() == 1) out += ',';
        });
    }

    void call(const Expr& expr) {
        write(*expr.items[0], kAtom);
        out += '(';
        for (std::size_t i = 0; i < expr.arguments.size(); ++i) {
            const CallArgument& argument = expr.arguments[i];
            if (i > 0) out += ", ";
            out += argument.name;
            if (!argument.name.empty() && argument.name[0] != '*') out += '=';
            write(*argument.value, argument.name == "*" ? kBitOr : kTest);
        }
        out += ')';
    }

    void dict(const Expr& expr) {
        out += '{';
        for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
            if (i > 0) out += ", ";
            if (expr.items[i]) {
                write(*expr.items[i], kTest);
                out += ": ";
            } else {
                out += "**";
            }
            write(*expr.items[i + 1], expr.items[i] ? kTest : kBitOr);
        }
        out += '}';
    }

    void slice(const Expr& expr) {
        for (std::size_t i = 0; i < expr.items.size(); ++i) {
            const Expr* part = expr.items[i];
            if (i == 1 || (i == 2 && part)) out += ':';
            if (part) write(*part, kTest);
        }
    }

    void unary(const Expr& expr, Level level) {
        const bool isNot = expr.text == "not";
        within(level > (isNot ? kNot : kFactor), [&] {
            out += expr.text;
            if (isNot) out += ' ';
            write(*expr.items[0], isNot ? kNot : kFactor);
        });
    }

    /// True for `a < b < c`, which the parser reads as `a < b and b < c` with one `b`.
    static bool isChain(const Expr& expr) {
        const Expr *before = expr.items[0], *last = expr.items[1];
        if (expr.text != "and" || last->kind != ExprKind::Compare) return false;
        if (before->kind == ExprKind::Binary && before->text == "and") before = before->items[1];
        return before->kind == ExprKind::Compare && before->items[1] == last->items[0];
    }

    /// A comparison or a chain of them.
    void chain(const Expr& expr) {
        const bool isOne = expr.kind == ExprKind::Compare;
        const Expr& last = isOne ? expr : *expr.items[1];
        if (isOne) write(*expr.items[0], kBitOr);
        else chain(*expr.items[0]);
        out += " " + std::string(last.text) + " ";
        write(*last.items[1], kBitOr);
    }

    void binary(const Expr& expr, Level level) {
        Level own = kTest;
        for (const Operator& each : kOperators)
            if (each.sign == expr.text) own = each.level;
        const auto tighter = static_cast<Level>(own + 1);
        const bool fromRight = own == kPower;
        within(level > own, [&] {
            write(*expr.items[0], fromRight ? tighter : own);
            out += " " + std::string(expr.text) + " ";
            write(*expr.items[1], fromRight ? own : tighter);
        });
    }

    std::string_view m_source;
};

} // namespace

std::string unparsed(const Expr& expr, std::string_view source) {
    Unparser unparser(source);
    unparser.write(expr, kTest);
    return std::move(unparser.out);
}

} // namespace fx::py
