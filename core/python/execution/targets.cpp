// SPDX-License-Identifier: GPL-3.0-or-later
// Assignments and their targets.
#include "core/python/interpreter.h"

#include <algorithm>

namespace fx::python {
using py::ExprKind;
using trace::CannotFollow;

void Interpreter::bind(std::string_view name, const Value& value) {
    if (m_frame->scope->isClass && isPrivate(name)) return m_frame->scope->names.set(written(name), value);
    for (const auto& [elsewhere, scope] : m_frame->scope->elsewhere)
        if (elsewhere == name) return scope->names.set(name, value);
    m_frame->scope->names.set(name, value);
}

void Interpreter::assign(const py::Expr& target, const Value& value) {
    switch (target.kind) {
    case ExprKind::Name: return bind(target.text, value);
    case ExprKind::Tuple:
    case ExprKind::List: return assignMany(target, value);
    case ExprKind::Attribute: return setAttribute(evaluateIn(*target.items[0]), written(target.text), value);
    case ExprKind::Subscript: {
        const Value object = evaluateIn(*target.items[0]);
        return setItem(object, evaluateIn(*target.items[1]), value);
    }
    case ExprKind::Starred: return assign(*target.items[0], value);
    default: throw CannotFollow(Message("trace.unsupported_assignment"));
    }
}

void Interpreter::assignMany(const py::Expr& targets, const Value& value) {
    const std::size_t count = targets.items.size();
    const auto starred = std::find_if(targets.items.begin(), targets.items.end(),
                                      [](const auto* item) { return item->kind == ExprKind::Starred; });
    if (isProxy(value) && starred == targets.items.end()) {
        const auto parts = m_tracer->unpack(toTrace(value), count);
        for (std::size_t i = 0; i < count; ++i) assign(*targets.items[i], fromTrace(parts[i]));
        return;
    }
    const Values parts = list(value);
    if (starred == targets.items.end()) {
        if (parts.size() != count)
            raise("ValueError", parts.size() > count
                                    ? "too many values to unpack (expected " + std::to_string(count) + ")"
                                    : "not enough values to unpack (expected " + std::to_string(count) + ", got " +
                                          std::to_string(parts.size()) + ")");
        for (std::size_t i = 0; i < count; ++i) assign(*targets.items[i], parts[i]);
        return;
    }
    const auto before = starred - targets.items.begin(), after = targets.items.end() - starred - 1;
    if (static_cast<std::ptrdiff_t>(parts.size()) < before + after)
        raise("ValueError", "not enough values to unpack (expected at least " + std::to_string(before + after) +
                                ", got " + std::to_string(parts.size()) + ")");
    for (std::ptrdiff_t i = 0; i < before; ++i)
        assign(*targets.items[static_cast<std::size_t>(i)], parts[static_cast<std::size_t>(i)]);
    assign(**starred, listOf(Values(parts.begin() + before, parts.end() - after)));
    for (std::ptrdiff_t i = 0; i < after; ++i)
        assign(*starred[i + 1], parts[parts.size() - static_cast<std::size_t>(after - i)]);
}

void Interpreter::remove(const py::Expr& target) {
    if (target.kind == ExprKind::Name) {
        m_frame->scope->names.erase(target.text);
    } else if (target.kind == ExprKind::Subscript) {
        const Value object = evaluateIn(*target.items[0]);
        deleteItem(object, evaluateIn(*target.items[1]));
    } else if (target.kind == ExprKind::Attribute) {
        removeAttribute(evaluateIn(*target.items[0]), written(target.text));
    } else if (target.kind == ExprKind::Tuple) {
        for (const auto* each : target.items) remove(*each);
    }
}

void Interpreter::augment(const py::Stmt& statement) {
    const py::Expr& target = *statement.targets[0];
    static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
        {"+", "add"}, {"-", "sub"},     {"*", "mul"},    {"/", "truediv"}, {"//", "floordiv"},
        {"%", "mod"}, {"**", "pow"},    {"@", "matmul"}, {"&", "and_"},    {"|", "or_"},
        {"^", "xor"}, {"<<", "lshift"}, {">>", "rshift"}};
    const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                    [&](const auto& pair) { return pair.first == statement.text; });
    const Value object = target.kind == ExprKind::Name ? Value() : evaluateIn(*target.items[0]);
    const Value key = target.kind == ExprKind::Subscript ? evaluateIn(*target.items[1]) : Value();
    const Value current = target.kind == ExprKind::Name        ? name(target.text)
                          : target.kind == ExprKind::Attribute ? attribute(object, written(target.text))
                                                               : item(object, key);
    const Value operand = evaluateIn(*statement.value);
    Value result;
    if (auto* list = current.as<List>(); list && found->second == "add") {
        const Values more = this->list(operand);
        list->items.insert(list->items.end(), more.begin(), more.end());
        result = current;
    } else if (auto* dict = current.as<Dict>(); dict && found->second == "or_" && operand.as<Dict>()) {
        operand.as<Dict>()->forEach([&](const Value& each, const Value& value) { dict->set(each, value); });
        result = current;
    } else if (tensorIn(current)) {
        m_numbers.bytesAreCurrent = machine == nullptr;
        m_numbers.forget();
        result = fromTrace(m_tracer->inPlace(found->second, toTrace(current), toOperand(operand, isProxy(operand))));
    } else if (const Value own = specialMethod(current, "__i" + std::string(found->second) + "__"); own.isSet()) {
        result = call(own, {operand});
    } else {
        result = binary(found->second, current, operand);
    }
    if (target.kind == ExprKind::Name) bind(target.text, result);
    else if (target.kind == ExprKind::Attribute) setAttribute(object, written(target.text), result);
    else setItem(object, key, result);
}

} // namespace fx::python
