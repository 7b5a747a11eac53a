// SPDX-License-Identifier: GPL-3.0-or-later
// What loops, comprehensions and unpacking take one by one.
#include "core/trace/evaluator.h"
#include "core/trace/numbers/number_functions.h"

#include <utility>

namespace fx::trace {
namespace {

/// Exchanges two sets of names while it lives.
struct SwappedNames {
    SwappedNames(LocalNames& a, LocalNames& b) : outer(a), inner(b) { std::swap(outer, inner); }
    ~SwappedNames() { std::swap(outer, inner); }
    LocalNames &outer, &inner;
};

} // namespace

Values Evaluator::iterate(const Value& value) {
    if (value.isProxy()) throw PythonError(Message("python.iterated"));
    if (const auto* values = value.as<LazyValues>()) {
        constexpr std::size_t kMaxItems = 100'000;
        Values out;
        while (auto item = values->next()) {
            if (out.size() == kMaxItems) throw CannotFollow(Message("trace.long_generator", {{"limit", kMaxItems}}));
            out.push_back(std::move(*item));
        }
        return out;
    }
    if (auto items = itemsOf(value)) return std::move(*items);
    throw CannotFollow(Message("trace.unknown_items", {{"value", textOf(value)}}));
}

Value Evaluator::comprehension(const py::Expr& expr) {
    const std::size_t elements = expr.text == "{" ? 2 : 1;
    const Value made = generator(expr, elements);
    if (expr.text == "(") return made;
    Values out = iterate(made);
    if (expr.text == "[") return listOf(std::move(out));
    ValueDict dict;
    for (const Value& pair : out) {
        const Values& both = pair.as<ValueSequence>()->items;
        dict.items.emplace_back(both[0], both[1]);
    }
    return box(std::move(dict));
}

/// What a comprehension gives, drawn one by one, with names of its own. Of several elements each is a tuple.
Value Evaluator::generator(const py::Expr& expr, std::size_t elements) {
    struct State {
        LocalNames names;
        std::vector<Draw> loops; ///< of the clauses that are entered
    };
    constexpr std::size_t kMaxClauses = 20;
    const std::size_t clauses = expr.items.size() - elements;
    if (clauses > kMaxClauses) throw CannotFollow(Message("trace.too_many_clauses", {{"limit", kMaxClauses}}));
    auto state = std::make_shared<State>(State{m_locals, {drawing(evaluate(*expr.items[elements]->items[1]))}});
    return lazy([this, &expr, elements, clauses, state]() -> std::optional<Value> {
        const SwappedNames scope(m_locals, state->names);
        while (!state->loops.empty()) {
            const auto item = state->loops.back()();
            if (!item) {
                state->loops.pop_back();
                continue;
            }
            const std::size_t clause = state->loops.size();
            const py::Expr& head = *expr.items[elements + clause - 1];
            assignTo(*head.items[0], *item);
            bool holds = true;
            for (std::size_t i = 2; i < head.items.size() && holds; ++i)
                holds = m_tracer.truth(evaluate(*head.items[i]));
            if (!holds) continue;
            if (clause < clauses) {
                state->loops.push_back(drawing(evaluate(*expr.items[elements + clause]->items[1])));
                continue;
            }
            if (elements == 1) return evaluate(*expr.items[0]);
            const Value key = evaluate(*expr.items[0]);
            return tupleOf({key, evaluate(*expr.items[1])});
        }
        return std::nullopt;
    });
}

Evaluator::Draw Evaluator::drawing(const Value& value) {
    if (const auto* values = value.as<LazyValues>()) return values->next;
    return [items = std::make_shared<const Values>(iterate(value)),
            at = std::make_shared<std::size_t>(0)]() -> std::optional<Value> {
        return *at < items->size() ? std::optional((*items)[(*at)++]) : std::nullopt;
    };
}

/// One may draw from another: how many there are bounds how deep that goes.
Value Evaluator::lazy(Draw draw) {
    constexpr std::size_t kMaxGenerators = 2000;
    if (++m_generators > kMaxGenerators)
        throw CannotFollow(Message("trace.too_many_generators", {{"limit", kMaxGenerators}}));
    return box(LazyValues{std::move(draw)});
}

Value Evaluator::drawn(const Value& value) { return value.as<LazyValues>() ? tupleOf(iterate(value)) : value; }

} // namespace fx::trace
