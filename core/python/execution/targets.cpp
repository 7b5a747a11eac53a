// SPDX-License-Identifier: GPL-3.0-or-later
// Assignments and their targets.
#include "core/ops/python_operators.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"

#include <algorithm>

namespace fx::python {
using py::ExprKind;
using trace::CannotFollow;

void Targets::bind(std::string_view name, const Value& value) {
    if (stack().frame->scope->isClass && isPrivate(name))
        return stack().frame->scope->names.set(m_in.expressions().written(name), value);
    for (const auto& [elsewhere, scope] : stack().frame->scope->elsewhere)
        if (elsewhere == name) return scope->names.set(name, value);
    stack().frame->scope->names.set(name, value);
}

void Targets::assign(const py::Expr& target, const Value& value) {
    switch (target.kind) {
    case ExprKind::Name: return bind(target.text, value);
    case ExprKind::Tuple:
    case ExprKind::List: return assignMany(target, value);
    case ExprKind::Attribute:
        return setAttribute(m_in.expressions().evaluateIn(*target.items[0]), m_in.expressions().written(target.text),
                            value);
    case ExprKind::Subscript: {
        const Value object = m_in.expressions().evaluateIn(*target.items[0]);
        return setItem(object, m_in.expressions().evaluateIn(*target.items[1]), value);
    }
    case ExprKind::Starred: return assign(*target.items[0], value);
    default: throw CannotFollow(Message("trace.unsupported_assignment"));
    }
}

void Targets::assignMany(const py::Expr& targets, const Value& value) {
    const std::size_t count = targets.items.size();
    const auto starred = std::find_if(targets.items.begin(), targets.items.end(),
                                      [](const auto* item) { return item->kind == ExprKind::Starred; });
    if (isProxy(value) && starred == targets.items.end()) {
        if (m_in.callRules) m_in.callRules->assumeLength(value, count);
        const auto parts = tracer().unpack(toTrace(value), count);
        for (std::size_t i = 0; i < count; ++i) assign(*targets.items[i], fromTrace(parts[i]));
        return;
    }
    if (value.isNumber() || value.isNone() || value.as<Function>())
        raise("TypeError", "cannot unpack non-iterable " + typeName(value) + " object");
    const Values parts = starred == targets.items.end() ? m_in.iteration().drawn(value, count + 1) : list(value);
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

void Targets::remove(const py::Expr& target) {
    if (target.kind == ExprKind::Name) {
        Scope* where = stack().frame->scope;
        const std::string name = where->isClass ? m_in.expressions().written(target.text) : std::string(target.text);
        for (const auto& [elsewhere, scope] : stack().frame->scope->elsewhere)
            if (elsewhere == target.text) where = scope;
        if (where->names.erase(name)) return;
        if (where == stack().frame->scope) m_in.expressions().name(target.text); // raises UnboundLocalError
        raise("NameError", "name '" + name + "' is not defined");
    } else if (target.kind == ExprKind::Subscript) {
        const Value object = m_in.expressions().evaluateIn(*target.items[0]);
        deleteItem(object, m_in.expressions().evaluateIn(*target.items[1]));
    } else if (target.kind == ExprKind::Attribute) {
        m_in.attributeChanges().removeAttribute(m_in.expressions().evaluateIn(*target.items[0]),
                                                m_in.expressions().written(target.text));
    } else if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) {
        for (const auto* each : target.items) remove(*each);
    }
}

/// Python asks an object that defines addition before the list: `[1] += proxy` is `proxy.__radd__([1])`.
bool Targets::addsItself(const Value& operand) {
    const auto* object = operand.as<Instance>();
    return isProxy(operand) || (object && !plain(operand).as<List>() && object->type->find("__radd__"));
}

void Targets::augment(const py::Stmt& statement) {
    const py::Expr& target = *statement.targets[0];
    const std::string_view op = ops::binaryOperator(statement.text);
    const Value object = target.kind == ExprKind::Name ? Value() : m_in.expressions().evaluateIn(*target.items[0]);
    const Value key = target.kind == ExprKind::Subscript ? m_in.expressions().evaluateIn(*target.items[1]) : Value();
    const Value current = target.kind == ExprKind::Name ? m_in.expressions().name(target.text)
                          : target.kind == ExprKind::Attribute
                              ? attribute(object, m_in.expressions().written(target.text))
                              : item(object, key);
    const Value operand = m_in.expressions().evaluateIn(*statement.value);
    if (m_in.callRules && target.kind == ExprKind::Attribute) m_in.callRules->requireReadable(object, target.text);
    if (m_in.callRules && (plain(current).as<List>() || plain(current).as<Dict>() || plain(current).as<Set>()))
        m_in.callRules->requireOwn(plain(current));
    std::string method = "__i" + std::string(op);
    if (method.ends_with('_')) method.pop_back(); // "__iand"
    Value result;
    if (const auto* instance = current.as<Instance>())
        if (const Value* blocked = instance->type->find(method + "__"); blocked && blocked->isNone())
            raise("TypeError", "'NoneType' object is not callable");
    if (const Value own = specialMethod(current, method + "__"); own.isSet()) {
        result = call(own, {operand});
        if (isNotImplemented(result)) result = m_in.operators().binary(op, current, operand, true);
    } else if (auto* list = plain(current).as<List>(); list && op == "add" && !addsItself(operand)) {
        extend(*list, operand);
        result = current;
    } else if (list && op == "mul" && plainValue(operand).isInt()) {
        list->items = binary("mul", list, plainValue(operand)).get<List>().items;
        result = current;
    } else if (auto* dict = plain(current).as<Dict>(); dict && op == "or_" && !operand.as<Instance>()) {
        call(m_in.builtinMethods().dictMethod(*dict, "update"), {operand});
        result = current;
    } else if (auto* set = plain(current).as<Set>();
               set && !set->isFrozen && plain(operand).as<Set>() && isSetOperator(op)) {
        combineInPlace(op, *set, *plain(operand).as<Set>());
        result = current;
    } else if (m_in.callRules && isProxy(current)) {
        result = fromTrace(tracer().inPlace(op, toTrace(current), toOperand(operand, true)));
        const auto* module = object.as<Instance>();
        const auto isPart = [&](const auto* slot) { return slot && slot->tensor; };
        if (target.kind == ExprKind::Attribute && module && module->module && op != "matmul" &&
            (isPart(module->module->buffer(target.text)) || isPart(module->module->parameter(target.text))))
            return; // which is the same tensor
    } else if (tensorIn(current)) {
        m_in.tensors().numbers().bytesAreCurrent = m_in.machine == nullptr;
        m_in.tensors().numbers().forget();
        result = fromTrace(tracer().inPlace(op, toTrace(current), toOperand(operand, isProxy(operand))));
    } else {
        result = m_in.operators().binary(op, current, operand, true);
    }
    if (target.kind == ExprKind::Name) bind(target.text, result);
    else if (target.kind == ExprKind::Attribute) setAttribute(object, m_in.expressions().written(target.text), result);
    else setItem(object, key, result);
}

} // namespace fx::python
