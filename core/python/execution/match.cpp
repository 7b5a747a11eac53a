// SPDX-License-Identifier: GPL-3.0-or-later
// `match`: patterns and what they bind.
#include "core/python/interpreter.h"

namespace fx::python {
using Kind = py::StmtKind;
using py::ExprKind;

/// The `case` that matches, with its names bound.
std::optional<std::size_t> Interpreter::matchedCase(std::size_t head) {
    const Value value = evaluateIn(*tree()[head].value);
    for (std::size_t at = head + 1, end = bodyEnd(head); at < end; at = bodyEnd(at)) {
        const py::Stmt& branch = tree()[at];
        if (branch.kind != Kind::Case || !matches(*branch.value, value)) continue;
        if (!branch.alias.empty()) bind(branch.alias, value);
        if (branch.annotation && !truth(evaluateIn(*branch.annotation))) continue;
        return at;
    }
    return std::nullopt;
}

bool Interpreter::matches(const py::Expr& pattern, const Value& value) {
    switch (pattern.kind) {
    case ExprKind::Name:
        if (pattern.text != "_") bind(pattern.text, value);
        return true;
    case ExprKind::Binary: return matches(*pattern.items[0], value) || matches(*pattern.items[1], value);
    case ExprKind::Tuple:
    case ExprKind::List: return matchesSequence(pattern, value);
    case ExprKind::Dict: return matchesMapping(pattern, value);
    case ExprKind::Call: return matchesClass(pattern, value);
    case ExprKind::Constant: {
        const Value wanted = evaluateIn(pattern);
        return wanted.kind == Value::Kind::Object || wanted.isNumber() ? equal(wanted, value) : wanted.sameAs(value);
    }
    default: return equal(evaluateIn(pattern), value);
    }
}

bool Interpreter::matchesSequence(const py::Expr& pattern, const Value& value) {
    const Value& in = plain(value);
    if (!in.as<Tuple>() && !in.as<List>()) return false;
    const Values given = list(in);
    const std::size_t size = pattern.items.size();
    std::size_t star = 0; // the place of `*rest`, or the end
    while (star < size && pattern.items[star]->kind != ExprKind::Starred) ++star;
    const std::size_t after = star < size ? size - star - 1 : 0;
    if (star < size ? given.size() < star + after : given.size() != size) return false;
    for (std::size_t i = 0; i < star; ++i)
        if (!matches(*pattern.items[i], given[i])) return false;
    for (std::size_t i = 0; i < after; ++i)
        if (!matches(*pattern.items[star + 1 + i], given[given.size() - after + i])) return false;
    if (star < size)
        matches(*pattern.items[star]->items[0], listOf(Values(given.begin() + static_cast<std::ptrdiff_t>(star),
                                                              given.end() - static_cast<std::ptrdiff_t>(after))));
    return true;
}

bool Interpreter::matchesMapping(const py::Expr& pattern, const Value& value) {
    const auto* dict = plain(value).as<Dict>();
    if (!dict) return false;
    Dict* left = m_heap.make<Dict>(); // for `**rest`
    dict->forEach([&](const Value& key, const Value& each) { left->set(key, each); });
    for (std::size_t i = 0; i + 1 < pattern.items.size(); i += 2) {
        if (!pattern.items[i]) {
            matches(*pattern.items[i + 1], left);
            continue;
        }
        const Value key = evaluateIn(*pattern.items[i]);
        const Value* found = left->find(key);
        const Value part = found ? *found : Value();
        if (!part.isSet() || !matches(*pattern.items[i + 1], part)) return false;
        left->erase(key);
    }
    return true;
}

bool Interpreter::matchesClass(const py::Expr& pattern, const Value& value) {
    const Value type = evaluateIn(*pattern.items[0]);
    if (!isInstance(value, type)) return false;
    const auto* made = type.as<Class>();
    const Value* names = made ? made->find("__match_args__") : nullptr;
    std::size_t at = 0;
    for (const auto& argument : pattern.arguments) {
        std::string name(argument.name);
        if (name.empty() && !names && (!made || at >= made->fields.size()))
            return at == 0 && matches(*argument.value, value);
        if (name.empty()) name = names ? str(item(*names, Value::integerOf(at))) : made->fields[at];
        ++at;
        const Value part = findAttribute(value, name);
        if (!part.isSet() || !matches(*argument.value, part)) return false;
    }
    return true;
}

} // namespace fx::python
