// SPDX-License-Identifier: GPL-3.0-or-later
// Built-in functions that iterate.
#include "core/python/interpreter.h"

#include <algorithm>

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
} // namespace

void Interpreter::addIteration() {
    const auto add = [&](const char* name, Native::Body body) { m_builtins.set(name, native(name, std::move(body))); };
    add("len", [](Interpreter& in, Values& args, Keywords&) -> Value { return in.length(args.at(0)); });
    add("iter", [](Interpreter& in, Values& args, Keywords&) -> Value {
        if (args.size() < 2) return in.iterate(args.at(0));
        return in.iterator([&in, function = args[0], last = args[1]]() -> Value {
            const Value value = in.call(function, {});
            return in.equal(value, last) ? Value() : value;
        });
    });
    add("next", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Iterator* each = in.iterate(args.at(0));
        if (args.size() < 2) return in.next(*each);
        const Value value = each->next();
        return value.isSet() ? value : args[1];
    });
    add("enumerate", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Value* named = keyword(kwargs, "start");
        std::int64_t at = plain(args.size() > 1 ? args[1] : named ? *named : Value(std::int64_t{0})).asInt();
        return in.iterator([&in, each = in.iterate(args.at(0)), at]() mutable -> Value {
            const Value value = each->next();
            return value.isSet() ? Value(in.tuple({Value(at++), value})) : Value();
        });
    });
    const auto columns = [](bool maps) {
        return [maps](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            const Value* strict = keyword(kwargs, "strict");
            const bool isStrict = strict && in.truth(*strict);
            std::vector<Iterator*> each;
            for (std::size_t i = maps ? 1 : 0; i < args.size(); ++i) each.push_back(in.iterate(args[i]));
            return in.iterator([&in, each, function = maps ? args.at(0) : Value(), maps, isStrict]() -> Value {
                Values row;
                for (std::size_t i = 0; i < each.size(); ++i) {
                    const Value value = each[i]->next();
                    if (!value.isSet() && isStrict) checkEnds(in, each, i);
                    if (!value.isSet()) return {};
                    row.push_back(value);
                }
                if (row.empty()) return {};
                return maps ? in.call(function, std::move(row)) : Value(in.tuple(std::move(row)));
            });
        };
    };
    add("zip", columns(false));
    add("map", columns(true));
    add("filter", [](Interpreter& in, Values& args, Keywords&) -> Value {
        return in.iterator([&in, test = args.at(0), each = in.iterate(args.at(1))]() -> Value {
            for (Value value = each->next(); value.isSet(); value = each->next())
                if (in.truth(test.isNone() ? value : in.call(test, {value}))) return value;
            return {};
        });
    });
    add("reversed", [](Interpreter& in, Values& args, Keywords&) -> Value {
        Values items = in.list(args.at(0));
        std::reverse(items.begin(), items.end());
        return in.iterate(in.listOf(std::move(items)));
    });
    add("sorted", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        std::vector<std::pair<Value, Value>> items;
        Value* key = keyword(kwargs, "key");
        for (const Value& each : in.list(args.at(0)))
            items.emplace_back(key && !key->isNone() ? in.call(*key, {each}) : each, each);
        Value* backwards = keyword(kwargs, "reverse");
        const bool isReversed = backwards && in.truth(*backwards); // equal items keep their order then, too
        if (isReversed) std::reverse(items.begin(), items.end());
        std::stable_sort(items.begin(), items.end(),
                         [&](const auto& a, const auto& b) { return in.truth(in.compare("<", a.first, b.first)); });
        if (isReversed) std::reverse(items.begin(), items.end());
        List* out = in.listOf({});
        for (auto& [sortKey, value] : items) out->items.push_back(value);
        return out;
    });
    add("sum", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        Value* start = keyword(kwargs, "start");
        Value total = args.size() > 1 ? args[1] : start ? *start : Value(std::int64_t{0});
        Iterator* each = in.iterate(args.at(0));
        for (Value value = each->next(); value.isSet(); value = each->next()) total = in.binary("add", total, value);
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
            const Values items = args.size() == 1 ? in.list(args[0]) : args;
            if (items.empty() && otherwise) return *otherwise;
            if (items.empty())
                in.raise("ValueError", std::string(least ? "min" : "max") + "() arg is an empty sequence");
            Value best, bestKey;
            for (const Value& each : items) {
                const Value own = key && !key->isNone() ? in.call(*key, {each}) : each;
                if (best.isSet() && !in.truth(in.compare(least ? "<" : ">", own, bestKey))) continue;
                best = each;
                bestKey = own;
            }
            return best;
        });
}

} // namespace fx::python
