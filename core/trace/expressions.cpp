// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/evaluator.h"

#include "core/ops/python_operators.h"
#include "core/trace/numbers/number_functions.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace fx::trace {
std::string_view Evaluator::operatorName(std::string_view sign) {
    const std::string_view name = ops::binaryOperator(sign);
    if (name.empty()) throw CannotFollow(Message("trace.unknown_operator", {{"operator", sign}}));
    return name;
}

Value Evaluator::evaluate(const py::Expr& expr) {
    const py::Expr* outer = std::exchange(m_at, &expr);
    Value value = evaluateKind(expr);
    m_at = outer; // not after an exception
    return value;
}

Value Evaluator::evaluateKind(const py::Expr& expr) {
    switch (expr.kind) {
    case py::ExprKind::Name: return name(expr.text);
    case py::ExprKind::Constant: return {*expr.constant};
    case py::ExprKind::Attribute: return attribute(expr);
    case py::ExprKind::Call: return call(expr);
    case py::ExprKind::Subscript: {
        const Value object = evaluate(*expr.items[0]);
        return m_tracer.subscript(object, evaluate(*expr.items[1]));
    }
    case py::ExprKind::Tuple: return tupleOf(items(expr));
    case py::ExprKind::List: return listOf(items(expr));
    case py::ExprKind::Dict: return dict(expr);
    case py::ExprKind::Slice: {
        const auto part = [&](std::size_t i) { return expr.items[i] ? evaluate(*expr.items[i]) : none(); };
        return box(ValueSlice{part(0), part(1), part(2)});
    }
    case py::ExprKind::Unary: return unary(expr);
    case py::ExprKind::Binary: return binary(expr);
    case py::ExprKind::Compare: return compare(expr);
    case py::ExprKind::Conditional: return evaluate(*expr.items[m_tracer.truth(evaluate(*expr.items[1])) ? 0 : 2]);
    case py::ExprKind::Set: throw PythonError("NotImplementedError: argument of type: <class 'set'>");
    case py::ExprKind::Comprehension: return comprehension(expr);
    case py::ExprKind::Lambda: throw CannotFollow(Message("python.unsupported_lambda"));
    case py::ExprKind::Named: {
        Value value = evaluate(*expr.items[0]);
        m_locals.bind(expr.text, value);
        return value;
    }
    case py::ExprKind::Joined: return joined(expr);
    case py::ExprKind::Formatted: return formatted(expr);
    case py::ExprKind::Yield:
    case py::ExprKind::Clause:
    case py::ExprKind::Starred: break;
    }
    throw CannotFollow(Message("trace.unsupported_expression"));
}

Value Evaluator::joined(const py::Expr& expr) {
    std::string text;
    for (const auto* item : expr.items) text += *evaluate(*item).as<Argument>()->as<std::string>();
    return {Argument(std::move(text))};
}

/// A value of an f-string as text. Of formats only those of numbers of decimals are known.
Value Evaluator::formatted(const py::Expr& expr) {
    const Value value = evaluate(*expr.items[0]);
    if (expr.text.empty() || expr.text == "!s" || expr.text == "!r") {
        const Value text = callValue(resolveName(expr.text == "!r" ? "builtins.repr" : "builtins.str"), {value}, {});
        if (text.as<Argument>() && text.as<Argument>()->as<std::string>()) return text;
    }
    const auto number = plainReal(value);
    const std::string_view format = expr.text;
    const bool isDecimal = number && format.size() == 4 && format.starts_with(":.") && format[2] >= '0' &&
                           format[2] <= '9' && format.back() == 'f';
    if (!isDecimal) throw CannotFollow(Message("trace.unsupported_format", {{"value", textOf(value)}}));
    char text[400];
    std::snprintf(text, sizeof text, "%.*f", format[2] - '0', *number);
    return {Argument(std::string(text))};
}

Value Evaluator::name(std::string_view text) {
    if (const auto* value = local(text)) return *value;
    if (const auto global = m_globals.find(text); global != m_globals.end()) return global->second;
    if (const auto known = m_resolved.find(text); known != m_resolved.end()) return known->second;
    const std::string path = "builtins." + std::string(text);
    if (!ops::findFunction(path)) throw PythonError("NameError: name '" + std::string(text) + "' is not defined");
    return m_resolved.emplace(std::string(text), resolveName(path)).first->second;
}

/// Dotted names of imported modules (`torch.nn.functional.relu`) are looked up once and kept.
Value Evaluator::attribute(const py::Expr& expr) {
    const py::Expr* root = &expr;
    while (root->kind == py::ExprKind::Attribute) root = root->items[0];
    if (root->kind != py::ExprKind::Name || local(root->text)) {
        return m_tracer.attribute(evaluate(*expr.items[0]), expr.text);
    }
    const std::string_view dotted(root->text.data(),
                                  static_cast<std::size_t>(expr.text.data() + expr.text.size() - root->text.data()));
    if (const auto known = m_resolved.find(dotted); known != m_resolved.end()) return known->second;
    Value value = m_tracer.attribute(evaluate(*expr.items[0]), expr.text);
    m_resolved.emplace(std::string(dotted), value);
    return value;
}

Value Evaluator::call(const py::Expr& expr) {
    const py::Expr& called = *expr.items[0];
    Values args;
    KeywordValues kwargs;
    args.reserve(expr.arguments.size() + 1);
    // `x.relu()` of a traced x, the most frequent line, needs no object for `x.relu`.
    const bool named = called.kind == py::ExprKind::Attribute && called.items[0]->kind == py::ExprKind::Name;
    const Value* self = named ? local(called.items[0]->text) : nullptr;
    if (self && self->as<Proxy>() && called.text != "node" && called.text != "tracer") { // a proxy's own two attributes
        args.push_back(*self);
        arguments(expr, args, kwargs);
        return callMethod(called.text, args, kwargs);
    }
    const Value callee = evaluate(called);
    arguments(expr, args, kwargs);
    return callValue(callee, std::move(args), std::move(kwargs));
}

void Evaluator::arguments(const py::Expr& call, Values& args, KeywordValues& kwargs) {
    for (const auto& argument : call.arguments) {
        Value value = evaluate(*argument.value);
        if (argument.name == "*") value = drawn(value);
        if (argument.name.empty()) {
            args.push_back(std::move(value));
        } else if (argument.name == "*" || argument.name == "**") {
            if (value.isProxy()) throw PythonError(Message("python.iterated"));
            const auto* dict = value.as<ValueDict>();
            if (const auto* sequence = value.as<ValueSequence>())
                args.insert(args.end(), sequence->items.begin(), sequence->items.end());
            else if (dict && argument.name == "**")
                for (const auto& [key, item] : dict->items) {
                    const auto* text = key.as<Argument>() ? key.as<Argument>()->as<std::string>() : nullptr;
                    if (!text) throw PythonError("TypeError: keywords must be strings");
                    kwargs.emplace_back(*text, item);
                }
            else throw CannotFollow(Message("trace.unsupported_unpacking", {{"value", textOf(value)}}));
        } else {
            kwargs.emplace_back(argument.name, std::move(value));
        }
    }
}

Value Evaluator::unary(const py::Expr& expr) {
    const std::string_view op = expr.text == "not" ? "not_" : ops::unaryOperator(expr.text);
    return m_tracer.unary(op, evaluate(*expr.items[0]));
}

Value Evaluator::binary(const py::Expr& expr) {
    const Value left = evaluate(*expr.items[0]);
    if (expr.text == "and") return m_tracer.truth(left) ? evaluate(*expr.items[1]) : left;
    if (expr.text == "or") return m_tracer.truth(left) ? left : evaluate(*expr.items[1]);
    return m_tracer.binary(operatorName(expr.text), left, evaluate(*expr.items[1]));
}

Value Evaluator::compare(const py::Expr& expr) {
    const Value left = evaluate(*expr.items[0]), right = evaluate(*expr.items[1]);
    if (expr.text == "is" || expr.text == "is not") {
        return {Argument(isSameObject(left, right) == (expr.text == "is"))};
    }
    if (expr.text == "in") return m_tracer.binary("contains", right, left);
    if (expr.text == "not in") return m_tracer.unary("not_", m_tracer.binary("contains", right, left));
    return m_tracer.binary(operatorName(expr.text), left, right);
}

Value Evaluator::dict(const py::Expr& expr) {
    ValueDict out;
    for (std::size_t i = 0; i + 1 < expr.items.size(); i += 2) {
        if (!expr.items[i]) throw CannotFollow(Message("trace.dict_unpacking"));
        Value key = evaluate(*expr.items[i]);
        out.items.emplace_back(std::move(key), evaluate(*expr.items[i + 1]));
    }
    return box(std::move(out));
}

Values Evaluator::items(const py::Expr& expr) {
    Values out;
    out.reserve(expr.items.size());
    for (const auto* item : expr.items) {
        if (item->kind != py::ExprKind::Starred) {
            out.push_back(evaluate(*item));
            continue;
        }
        const Value value = drawn(evaluate(*item->items[0]));
        const auto* sequence = value.as<ValueSequence>();
        if (value.isProxy()) throw PythonError(Message("python.iterated"));
        if (!sequence) throw CannotFollow(Message("trace.unsupported_unpacking", {{"value", textOf(value)}}));
        out.insert(out.end(), sequence->items.begin(), sequence->items.end());
    }
    return out;
}

} // namespace fx::trace
