// SPDX-License-Identifier: GPL-3.0-or-later
// `match`: patterns and what they bind.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using Kind = py::StmtKind;
using py::ExprKind;

std::optional<std::size_t> Matching::matchedCase(std::size_t head) {
    const Value value = m_in.expressions().evaluateIn(*stack().tree()[head].value);
    for (std::size_t at = head + 1, end = stack().bodyEnd(head); at < end; at = stack().bodyEnd(at)) {
        const py::Stmt& branch = stack().tree()[at];
        if (branch.kind == Kind::Case) m_in.statements().step(branch.offset);
        if (branch.kind != Kind::Case || !matches(*branch.value, value)) continue;
        if (!branch.alias.empty()) m_in.targets().bind(branch.alias, value);
        if (branch.annotation && !truth(m_in.expressions().evaluateIn(*branch.annotation))) continue;
        return at;
    }
    return std::nullopt;
}

bool Matching::matches(const py::Expr& pattern, const Value& value) {
    switch (pattern.kind) {
    case ExprKind::Name:
        if (pattern.text != "_") m_in.targets().bind(pattern.text, value);
        return true;
    case ExprKind::Named:
        if (!matches(*pattern.items[0], value)) return false;
        m_in.targets().bind(pattern.text, value);
        return true;
    case ExprKind::Binary:
        if (pattern.text != "|") return equal(value, m_in.expressions().evaluateIn(pattern)); // `1 + 2j`
        return matches(*pattern.items[0], value) || matches(*pattern.items[1], value);
    case ExprKind::Tuple:
    case ExprKind::List: return matchesSequence(pattern, value);
    case ExprKind::Dict: return matchesMapping(pattern, value);
    case ExprKind::Call: return matchesClass(pattern, value);
    case ExprKind::Constant: {
        const Value wanted = m_in.expressions().evaluateIn(pattern);
        const bool isSingle = wanted.isNone() || wanted.kind == Value::Kind::Bool; // compared by identity
        return isSingle ? wanted.sameAs(value) : equal(value, wanted);
    }
    default: return equal(value, m_in.expressions().evaluateIn(pattern));
    }
}

namespace {
/// Whether `case T(x)` gives the object itself: of built-in types and what derives from them.
bool holdsItself(const Class& type) {
    static constexpr std::string_view kTypes[] = {"bool", "bytes", "dict", "float", "frozenset",
                                                  "int",  "list",  "set",  "str",   "tuple"};
    return std::any_of(type.order.begin(), type.order.end(), [](const Class* each) {
        return !each->file && std::find(std::begin(kTypes), std::end(kTypes), each->name) != std::end(kTypes);
    });
}
} // namespace

/// Throws CannotFollow for an object that is a sequence or mapping of collections.abc by its class.
void Matching::requireOutside(const Value& value, std::string_view kind) {
    if (!value.as<Instance>()) return;
    const Value* abstract = run(*ownFile("collections.abc")).names.find(kind);
    if (abstract && isInstance(value, *abstract))
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", "match"}}));
}

bool Matching::matchesSequence(const py::Expr& pattern, const Value& value) {
    const Value& in = plain(value);
    requireKnown(in);
    if (!in.as<Tuple>() && !in.as<List>() && !in.as<RangeObject>()) {
        requireOutside(in, "Sequence");
        return false;
    }
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

bool Matching::matchesMapping(const py::Expr& pattern, const Value& value) {
    requireKnown(value);
    const auto* dict = plain(value).as<Dict>();
    if (!dict) {
        requireOutside(value, "Mapping");
        return false;
    }
    Dict* left = heap().make<Dict>(); // for `**rest`
    dict->forEach([&](const Value& key, const Value& each) { left->set(key, each); });
    for (std::size_t i = 0; i + 1 < pattern.items.size(); i += 2) {
        if (!pattern.items[i]) {
            matches(*pattern.items[i + 1], left);
            continue;
        }
        const Value key = m_in.expressions().evaluateIn(*pattern.items[i]);
        const Value* found = left->find(key);
        const Value part = found ? *found : Value();
        if (!part.isSet() || !matches(*pattern.items[i + 1], part)) return false;
        left->erase(key);
    }
    return true;
}

bool Matching::matchesClass(const py::Expr& pattern, const Value& value) {
    const Value type = m_in.expressions().evaluateIn(*pattern.items[0]);
    if (!isInstance(value, type)) return false;
    const auto* made = type.as<Class>();
    const Value* names = made ? made->find("__match_args__") : nullptr;
    const auto* known = names ? names->as<Tuple>() : nullptr;
    if (names && !known)
        raise("TypeError", made->name + ".__match_args__ must be a tuple (got " + typeName(*names) + ")");
    const auto places = static_cast<std::size_t>(std::count_if(pattern.arguments.begin(), pattern.arguments.end(),
                                                               [](const auto& each) { return each.name.empty(); }));
    const bool isSelf = !names && made && made->fields.empty() && holdsItself(*made);
    const std::size_t most = known ? known->items.size() : isSelf ? 1 : made ? made->fields.size() : places;
    if (places > most)
        raise("TypeError", made->name + "() accepts " + std::to_string(most) + " positional sub-pattern" +
                               (most == 1 ? "" : "s") + " (" + std::to_string(places) + " given)");
    std::size_t at = 0;
    for (const auto& argument : pattern.arguments) {
        std::string name(argument.name);
        if (name.empty() && (isSelf || !made)) {
            if (!matches(*argument.value, value)) return false;
            continue;
        }
        if (name.empty()) name = names ? str(item(*names, Value::integerOf(at))) : made->fields[at];
        ++at;
        const Value part = softAttribute(value, name);
        if (!part.isSet() || !matches(*argument.value, part)) return false;
    }
    return true;
}

} // namespace fx::python
