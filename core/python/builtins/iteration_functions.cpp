// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in functions that iterate.
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <numeric>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

namespace {
/// `zip(..., strict=True)` where the argument at `ended` has no more: the others must end, too.
void checkEnds(Interpreter& in, const std::vector<Iterator*>& each, std::size_t ended) {
    const auto others = [](std::size_t count) {
        return count == 1 ? std::string("argument 1") : "arguments 1-" + std::to_string(count);
    };
    if (ended > 0)
        in.raise("ValueError", "zip() argument " + std::to_string(ended + 1) + " is shorter than " + others(ended));
    for (std::size_t i = 1; i < each.size(); ++i)
        if (each[i]->next().isSet())
            in.raise("ValueError", "zip() argument " + std::to_string(i + 1) + " is longer than " + others(i));
}

/// The places of values in ascending order; equal ones stay in their order. Any `__lt__` will do, also one that
/// contradicts itself: runs of up to 63 values, and what merging makes of them, as CPython has it for short lists.
std::vector<std::size_t> sortedOrder(Interpreter& in, const Values& keys) {
    constexpr std::size_t kShort = 63;
    const auto isLess = [&](std::size_t a, std::size_t b) { return in.truth(in.compare("<", keys[a], keys[b])); };
    std::vector<std::size_t> order(keys.size()), merged(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t low = 0; low < order.size(); low += kShort) {
        const std::size_t high = std::min(low + kShort, order.size());
        const bool isDescending = low + 1 < high && isLess(order[low + 1], order[low]);
        std::size_t run = std::min(low + 2, high); // what is in order already
        while (run < high && isLess(order[run], order[run - 1]) == isDescending) ++run;
        const auto first = order.begin() + static_cast<std::ptrdiff_t>(low);
        if (isDescending) std::reverse(first, order.begin() + static_cast<std::ptrdiff_t>(run));
        for (; run < high; ++run) {
            const std::size_t added = order[run];
            std::size_t left = low, right = run;
            while (left < right) {
                const std::size_t middle = left + (right - left) / 2;
                if (isLess(added, order[middle])) right = middle;
                else left = middle + 1;
            }
            const auto at = order.begin() + static_cast<std::ptrdiff_t>(run);
            std::rotate(order.begin() + static_cast<std::ptrdiff_t>(left), at, at + 1);
        }
    }
    for (std::size_t width = kShort; width < order.size(); width *= 2, std::swap(order, merged))
        for (std::size_t low = 0; low < order.size(); low += 2 * width) {
            const std::size_t middle = std::min(low + width, order.size()),
                              high = std::min(middle + width, order.size());
            for (std::size_t left = low, right = middle, to = low; to < high; ++to) {
                const bool takesRight = left == middle || (right < high && isLess(order[right], order[left]));
                merged[to] = takesRight ? order[right++] : order[left++];
            }
        }
    return order;
}
} // namespace

void Builtins::addIteration() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    const auto addClass = [&](const char* name, Native::Body body) { // whose calls make iterators
        add(name, std::move(body));
        Class* type = heap().make<Class>();
        type->name = name;
        type->bases = {m_object};
        m_in.classes().orderBases(*type);
        type->members.set("__lancet_call__", *m_builtins.find(name));
        m_builtins.set(name, type);
    };
    add("len", [](Interpreter& in, Values& args, Keywords&) -> Value { return in.length(args.at(0)); });
    add("iter", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() < 2) {
            const Value own = in.specialMethod(args.at(0), "__iter__");
            const Value made = own.isSet() ? in.call(own, {}) : Value();
            if (!made.isSet()) return in.iterate(args[0]);
            in.iteration().requireIterator(made);
            return in.specialMethod(made, "__next__").isSet() ? made : in.iterate(made);
        }
        if (!in.truth(in.call(*in.builtin("callable"), {args[0]})))
            in.raise("TypeError", "iter(v, w): v must be callable");
        return in.iterator(
            [&in, function = args[0], last = args[1], isOver = false]() mutable -> Value {
                if (isOver) return {};
                const Value value = in.call(function, {});
                isOver = in.equal(value, last);
                return isOver ? Value() : value;
            },
            "callable_iterator");
    });
    add("next", [](Interpreter& in, Values& args, Keywords&) -> Value {
        const Value own = in.specialMethod(args.at(0), "__next__");
        if (own.isSet() && args.size() < 2) return in.call(own, {});
        if (!args[0].as<Iterator>() && !own.isSet() && !args[0].as<Traced>() && !args[0].as<Opaque>())
            in.raise("TypeError", "'" + in.typeName(args[0]) + "' object is not an iterator");
        Iterator* each = own.isSet() ? in.iteration().iteratorBy(own) : in.iterate(args[0]);
        if (args.size() < 2) return in.next(*each);
        const Value value = each->next();
        return value.isSet() ? value : args[1];
    });
    addClass("enumerate", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        if (const Value* iterable = keyword(kwargs, "iterable")) args.insert(args.begin(), *iterable);
        Value* named = keyword(kwargs, "start");
        std::int64_t at = plain(args.size() > 1 ? args[1] : named ? *named : Value(std::int64_t{0})).asInt();
        return in.iterator(
            [&in, each = in.iterate(args.at(0)), at]() mutable -> Value {
                const Value value = each->next();
                return value.isSet() ? Value(in.tuple({Value(at++), value})) : Value();
            },
            "enumerate");
    });
    const auto columns = [](bool maps) {
        return [maps](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            const Value* strict = keyword(kwargs, "strict");
            const bool isStrict = strict && in.truth(*strict);
            std::vector<Iterator*> each;
            if (maps && args.size() < 2) in.raise("TypeError", "map() must have at least two arguments.");
            for (std::size_t i = maps ? 1 : 0; i < args.size(); ++i) each.push_back(in.iterate(args[i]));
            return in.iterator(
                [&in, each, function = maps ? args.at(0) : Value(), maps, isStrict]() -> Value {
                    Values row;
                    for (std::size_t i = 0; i < each.size(); ++i) {
                        const Value value = each[i]->next();
                        if (!value.isSet() && isStrict) checkEnds(in, each, i);
                        if (!value.isSet()) return {};
                        row.push_back(value);
                    }
                    if (row.empty()) return {};
                    return maps ? in.call(function, std::move(row)) : Value(in.tuple(std::move(row)));
                },
                maps ? "map" : "zip");
        };
    };
    addClass("zip", columns(false));
    addClass("map", columns(true));
    addClass("filter", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.iterator(
            [&in, test = args.at(0), each = in.iterate(args.at(1))]() -> Value {
                for (Value value = each->next(); value.isSet(); value = each->next())
                    if (in.truth(test.isNone() ? value : in.call(test, {value}))) return value;
                return {};
            },
            "filter");
    });
    addClass("reversed", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (const auto* range = args.at(0).as<RangeObject>())
            return in.iterator(
                [range = *range, left = range->size()]() mutable {
                    return left > 0 ? Value(range.at(--left)) : Value();
                },
                "range_iterator");
        if (const Value own = in.specialMethod(args[0], "__reversed__"); own.isSet()) return in.call(own, {});
        const Value held = plain(args[0]);
        if (const auto* object = args[0].as<Instance>())
            if (const Value* blocked = object->type->find("__reversed__"); blocked && blocked->isNone())
                in.raise("TypeError", "'" + in.typeName(args[0]) + "' object is not reversible");
        if (itemsOf(held)) // a list may change meanwhile
            return in.iterator(
                [held, left = itemsOf(held)->size()]() mutable {
                    const Values& items = *itemsOf(held);
                    left = left > items.size() ? 0 : left;
                    return left > 0 ? items[--left] : Value();
                },
                held.as<List>() ? "list_reverseiterator" : "reversed");
        const bool isCounted = in.specialMethod(args[0], "__len__").isSet();
        if (isCounted && in.specialMethod(args[0], "__getitem__").isSet())
            return in.iterator(
                [&in, object = args[0], left = in.length(args[0]).asInt()]() mutable {
                    return left > 0 ? in.item(object, {--left}) : Value();
                },
                "reversed");
        const auto* instance = held.as<Instance>();
        const auto* type = held.as<Class>();
        const bool isOwn = instance && (!instance->type->file || instance->type->file->path.empty());
        const bool isOrdered = held.as<Str>() || held.as<Dict>() || held.as<DictView>() || isOwn ||
                               (instance && instance->module) || (type && type->isEnum);
        if (!isOrdered && !held.as<Traced>() && !held.as<Opaque>())
            in.raise("TypeError", "'" + in.typeName(args[0]) + "' object is not reversible");
        Values items = in.list(args[0]);
        std::reverse(items.begin(), items.end());
        Iterator* made = in.iterate(in.listOf(std::move(items)));
        made->type = "reversed";
        return made;
    });
    add("sorted", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const Value* key = keyword(kwargs, "key");
        const Values items = in.iteration().filled(args.at(0));
        Values keys = items;
        if (key && !key->isNone())
            for (Value& each : keys) each = in.call(*key, {each});
        Value* backwards = keyword(kwargs, "reverse");
        const bool isReversed = backwards && in.truth(*backwards); // equal items keep their order then, too
        if (isReversed) std::reverse(keys.begin(), keys.end());
        const std::vector<std::size_t> order = sortedOrder(in, keys);
        Values out;
        for (const std::size_t at : order) out.push_back(items[isReversed ? items.size() - 1 - at : at]);
        if (isReversed) std::reverse(out.begin(), out.end());
        return in.listOf(std::move(out));
    });
    add("sum", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Value* start = keyword(kwargs, "start");
        Value total = args.size() > 1 ? args[1] : start ? *start : Value(std::int64_t{0});
        if (plain(total).as<Str>()) in.raise("TypeError", "sum() can't sum strings [use ''.join(seq) instead]");
        in.forEachItem(args.at(0), [&](const Value& value) { total = in.binary("add", total, value); });
        return total;
    });
    for (const bool all : {true, false})
        add(all ? "all" : "any", [all](Interpreter& in, Values& args, Keywords&) -> Value {
            Iterator* each = in.iterate(args.at(0));
            for (Value value = each->next(); value.isSet(); value = each->next())
                if (in.truth(value) != all) return {!all};
            return {all};
        });
    for (const bool least : {true, false})
        add(least ? "min" : "max", [least](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            Value* key = keyword(kwargs, "key");
            Value* otherwise = keyword(kwargs, "default");
            const std::string name = least ? "min" : "max";
            if (args.empty()) in.raise("TypeError", name + " expected at least 1 argument, got 0");
            if (args.size() > 1 && otherwise)
                in.raise("TypeError", "Cannot specify a default for " + name + "() with multiple positional arguments");
            Value best, bestKey;
            in.forEachItem(args.size() == 1 ? args[0] : Value(in.tuple(args)), [&](const Value& each) {
                const Value own = key && !key->isNone() ? in.call(*key, {each}) : each;
                if (best.isSet() && !in.truth(in.compare(least ? "<" : ">", own, bestKey))) return;
                best = each;
                bestKey = own;
            });
            if (best.isSet()) return best;
            if (otherwise) return *otherwise;
            in.raise("ValueError", name + "() arg is an empty sequence");
        });
}

} // namespace fx::python
