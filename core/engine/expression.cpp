// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"
#include "core/pysrc/parser.h"

#include <cmath>

// The texts are made by core/trace and core/io from code that they have evaluated: calls, methods, literals, names of torch.
namespace fx::engine {
namespace {

std::string dottedName(const py::Expr& expr) {
    if (expr.kind == py::ExprKind::Name) return std::string(expr.text);
    if (expr.kind != py::ExprKind::Attribute) return {};
    const std::string head = dottedName(*expr.items[0]);
    return head.empty() ? head : head + "." + std::string(expr.text);
}

const char* operatorName(std::string_view sign) {
    static constexpr std::pair<std::string_view, const char*> kSigns[] = {{"+", "add"}, {"-", "sub"}, {"*", "mul"}, {"/", "truediv"}, {"//", "floordiv"},
                                                                          {"%", "mod"}, {"**", "pow"}, {"@", "matmul"}, {"&", "and_"}, {"|", "or_"}};
    for (const auto& [text, name] : kSigns)
        if (text == sign) return name;
    throw runError("an expression with " + std::string(sign) + " cannot be evaluated");
}

Value evaluate(const py::Expr& expr);

Values evaluateAll(std::span<const py::Expr* const> items) {
    Values out;
    for (const py::Expr* item : items) out.push_back(item ? evaluate(*item) : Value());
    return out;
}

Value evaluateCall(const py::Expr& expr) {
    Arguments arguments;
    const py::Expr& callee = *expr.items[0];
    const std::string name = dottedName(callee);
    const bool method = name.empty();
    if (method) arguments.positional.push_back(evaluate(*callee.items[0]));
    for (const py::CallArgument& argument : expr.arguments) {
        if (argument.name.empty()) arguments.positional.push_back(evaluate(*argument.value));
        else arguments.named.emplace_back(argument.name, evaluate(*argument.value));
    }
    return method ? callMethod(callee.text, std::move(arguments)) : callFunction(name, std::move(arguments));
}

/// The depth of an expression is bounded by the parser.
Value evaluate(const py::Expr& expr) {
    switch (expr.kind) {
    case py::ExprKind::Constant: return toValue(*expr.constant, [](NodeId) { return Value(); });
    case py::ExprKind::Name:
    case py::ExprKind::Attribute: {
        const std::string name = dottedName(expr);
        if (name == "inf" || name == "nan") return name == "inf" ? HUGE_VAL : std::nan("");
        return name.empty() ? attributeOf(evaluate(*expr.items[0]), expr.text) : literalOf(name);
    }
    case py::ExprKind::Call: return evaluateCall(expr);
    case py::ExprKind::Tuple: return Value::tuple(evaluateAll(expr.items));
    case py::ExprKind::List: return Value::list(evaluateAll(expr.items));
    case py::ExprKind::Slice: {
        Values parts = evaluateAll(expr.items);
        parts.resize(3);
        return std::make_shared<const SliceOf>(SliceOf{parts[0], parts[1], parts[2]});
    }
    case py::ExprKind::Subscript: return subscriptOf(evaluate(*expr.items[0]), evaluate(*expr.items[1]));
    case py::ExprKind::Unary: return unaryOf(expr.text == "-" ? "neg" : expr.text == "~" ? "invert" : "pos", evaluate(*expr.items[0]));
    case py::ExprKind::Binary: return binaryOf(operatorName(expr.text), evaluate(*expr.items[0]), evaluate(*expr.items[1]));
    default: throw runError("this expression cannot be evaluated");
    }
}

} // namespace

Value evaluateExpression(std::string_view source) {
    py::Parser parser(source);
    try {
        return evaluate(*parser.expression());
    } catch (fx::Error& error) {
        if (error.source.empty()) error.source = source;
        throw;
    }
}

} // namespace fx::engine
