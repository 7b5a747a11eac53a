// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of list, dict and set.
#include "core/python/execution/generator_run.h"
#include "core/python/interpreter.h"

#include <algorithm>

namespace fx::python {
namespace {
std::size_t place(const Value& value, std::size_t size) {
    const std::int64_t at = plain(value).asInt(), length = static_cast<std::int64_t>(size);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length));
}
} // namespace

Value Interpreter::listMethod(List& self, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [&self, body](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            return body(in, self, args, kwargs);
        });
    };
    if (name == "append")
        return method([](Interpreter&, List& list, Values& args, Keywords&) {
            list.items.push_back(args.at(0));
            return Value::none();
        });
    if (name == "extend")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            const Values more = in.list(args.at(0));
            list.items.insert(list.items.end(), more.begin(), more.end());
            return Value::none();
        });
    if (name == "insert")
        return method([](Interpreter&, List& list, Values& args, Keywords&) {
            list.items.insert(list.items.begin() + static_cast<std::ptrdiff_t>(place(args.at(0), list.items.size())),
                              args.at(1));
            return Value::none();
        });
    if (name == "pop")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            if (list.items.empty()) in.raise("IndexError", "pop from empty list");
            const std::size_t at = std::min(args.empty() ? list.items.size() - 1 : place(args[0], list.items.size()),
                                            list.items.size() - 1);
            const Value value = list.items[at];
            list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(at));
            return value;
        });
    if (name == "remove" || name == "index")
        return method([removes = name == "remove"](Interpreter& in, List& list, Values& args, Keywords&) {
            for (std::size_t i = 0; i < list.items.size(); ++i) {
                if (!list.items[i].sameAs(args.at(0)) && !in.equal(list.items[i], args[0])) continue;
                if (removes) list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(i));
                return removes ? Value::none() : Value::integerOf(i);
            }
            in.raise("ValueError", in.repr(args.at(0)) + " is not in list");
        });
    if (name == "count")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            return Value::integerOf(static_cast<std::size_t>(std::count_if(
                list.items.begin(), list.items.end(), [&](const Value& each) { return in.equal(each, args.at(0)); })));
        });
    if (name == "reverse")
        return method([](Interpreter&, List& list, Values&, Keywords&) {
            std::reverse(list.items.begin(), list.items.end());
            return Value::none();
        });
    if (name == "clear")
        return method([](Interpreter&, List& list, Values&, Keywords&) {
            list.items.clear();
            return Value::none();
        });
    if (name == "copy")
        return method([](Interpreter& in, List& list, Values&, Keywords&) { return Value(in.listOf(list.items)); });
    if (name == "sort")
        return method([](Interpreter& in, List& list, Values&, Keywords& kwargs) {
            list.items = in.call(*in.m_builtins.find("sorted"), {in.listOf(list.items)}, kwargs).as<List>()->items;
            return Value::none();
        });
    return {};
}

namespace {
/// The argument `last` of an OrderedDict's methods, the one at `place`.
bool fromTheEnd(Interpreter& in, const Values& args, Keywords& kwargs, std::size_t place) {
    if (const Value* named = keyword(kwargs, "last")) return in.truth(*named);
    return args.size() <= place || in.truth(args[place]);
}
} // namespace

Value Interpreter::dictMethod(Dict& self, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [&self, body](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            return body(in, self, args, kwargs);
        });
    };
    static constexpr std::pair<std::string_view, DictView::Kind> kViews[] = {
        {"keys", DictView::Kind::Keys}, {"values", DictView::Kind::ValuesOnly}, {"items", DictView::Kind::Items}};
    for (const auto& [word, kind] : kViews)
        if (word == name)
            return method([kind = kind](Interpreter& in, Dict& dict, Values&, Keywords&) {
                DictView* view = in.heap().make<DictView>();
                view->dict = &dict;
                view->kind = kind;
                return Value(view);
            });
    if (name == "get" || name == "setdefault" || name == "pop")
        return method([kind = name[0]](Interpreter& in, Dict& dict, Values& args, Keywords& kwargs) {
            Value* named = keyword(kwargs, "default");
            const Value otherwise = args.size() > 1 ? args[1] : named ? *named : Value();
            if (Value* found = dict.find(args.at(0))) {
                const Value value = *found;
                if (kind == 'p') dict.erase(args[0]);
                return value;
            }
            if (kind == 's') dict.set(args[0], otherwise.isSet() ? otherwise : Value::none());
            if (kind == 'p' && !otherwise.isSet())
                throw Raised{in.instantiate(in.builtinClass("KeyError"), {args[0]}, {})};
            return otherwise.isSet() ? otherwise : Value::none();
        });
    if (name == "update")
        return method([](Interpreter& in, Dict& dict, Values& args, Keywords& kwargs) {
            for (const Value& arg : args) {
                const Value own = in.findAttribute(arg, "keys");
                if (own.isSet())
                    for (const Value& key : in.list(in.call(own, {}))) dict.set(key, in.item(arg, key));
                else
                    for (const Value& pair : in.list(arg))
                        dict.set(in.item(pair, {std::int64_t{0}}), in.item(pair, {std::int64_t{1}}));
            }
            for (const auto& [key, value] : kwargs) dict.set(in.text(key), value);
            return Value::none();
        });
    if (name == "copy")
        return method([](Interpreter& in, Dict& dict, Values&, Keywords&) {
            Dict* copy = in.heap().make<Dict>();
            copy->factory = dict.factory;
            copy->isOrdered = dict.isOrdered;
            dict.forEach([&](const Value& key, const Value& value) { copy->set(key, value); });
            return Value(copy);
        });
    if (name == "clear")
        return method([](Interpreter&, Dict& dict, Values&, Keywords&) {
            dict.clear();
            return Value::none();
        });
    if (name == "popitem")
        return method([](Interpreter& in, Dict& dict, Values& args, Keywords& kwargs) {
            const bool isLast = fromTheEnd(in, args, kwargs, 0);
            Value key, value;
            dict.forEach([&](const Value& each, const Value& its) {
                if (isLast || !key.isSet()) key = each, value = its;
            });
            if (!key.isSet()) in.raise("KeyError", "popitem(): dictionary is empty");
            dict.erase(key);
            return Value(in.tuple({key, value}));
        });
    if (name == "move_to_end")
        return method([](Interpreter& in, Dict& dict, Values& args, Keywords& kwargs) {
            const Value key = args.at(0);
            const Value* found = dict.find(key);
            if (!found) in.raise("KeyError", in.repr(key));
            std::vector<std::pair<Value, Value>> after;
            const bool isLast = fromTheEnd(in, args, kwargs, 1);
            after.emplace_back(key, *found);
            if (!isLast)
                dict.forEach([&](const Value& each, const Value& value) {
                    if (!equalValues(each, key)) after.emplace_back(each, value);
                });
            for (const auto& [each, value] : after) {
                dict.erase(each);
                dict.set(each, value);
            }
            return Value::none();
        });
    return {};
}

Values Interpreter::viewed(const DictView& view) {
    using Kind = DictView::Kind;
    Values out;
    view.dict->forEach([&](const Value& key, const Value& value) {
        out.push_back(view.kind == Kind::Keys         ? key
                      : view.kind == Kind::ValuesOnly ? value
                                                      : Value(tuple({key, value})));
    });
    return out;
}

Set* Interpreter::setOf(const Value& iterable) {
    if (auto* set = iterable.as<Set>()) return set;
    Set* made = m_heap.make<Set>();
    for (const Value& each : list(iterable)) made->items.set(each, Value::none());
    return made;
}

Value Interpreter::setMethod(Set& self, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [&self, body](Interpreter& in, Values& args, Keywords&) -> Value {
            return body(in, self, args);
        });
    };
    if (name == "add")
        return method([](Interpreter&, Set& set, Values& args) {
            set.items.set(args.at(0), Value::none());
            return Value::none();
        });
    if (name == "discard" || name == "remove")
        return method([must = name == "remove"](Interpreter& in, Set& set, Values& args) {
            if (!set.items.erase(args.at(0)) && must) in.raise("KeyError", in.repr(args[0]));
            return Value::none();
        });
    if (name == "clear")
        return method([](Interpreter&, Set& set, Values&) {
            set.items.clear();
            return Value::none();
        });
    if (name == "pop")
        return method([](Interpreter& in, Set& set, Values&) {
            Value first;
            set.items.forEach([&](const Value& key, const Value&) {
                if (!first.isSet()) first = key;
            });
            if (!first.isSet()) in.raise("KeyError", "'pop from an empty set'");
            set.items.erase(first);
            return first;
        });
    if (name == "isdisjoint")
        return method([](Interpreter& in, Set& set, Values& args) {
            for (const Value& each : in.list(args.at(0)))
                if (set.items.find(each)) return Value{false};
            return Value{true};
        });
    if (name == "difference_update" || name == "intersection_update")
        return method([keeps = name == "intersection_update"](Interpreter& in, Set& set, Values& args) {
            for (const Value& arg : args) {
                Set* other = in.heap().make<Set>();
                for (const Value& each : in.list(arg)) other->items.set(each, Value::none());
                const Value rest = in.binary(keeps ? "and_" : "sub", &set, other);
                set.items.clear();
                for (const Value& each : in.list(rest)) set.items.set(each, Value::none());
            }
            return Value::none();
        });
    if (name == "update")
        return method([](Interpreter& in, Set& set, Values& args) {
            for (const Value& arg : args)
                for (const Value& each : in.list(arg)) set.items.set(each, Value::none());
            return Value::none();
        });
    static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
        {"union", "or_"}, {"intersection", "and_"}, {"difference", "sub"}, {"symmetric_difference", "xor"}};
    for (const auto& [word, op] : kOperators)
        if (word == name)
            return method([op = op](Interpreter& in, Set& set, Values& args) {
                Value result = &set;
                for (const Value& arg : args) {
                    Set* other = in.heap().make<Set>();
                    for (const Value& each : in.list(arg)) other->items.set(each, Value::none());
                    result = in.binary(op, result, other);
                }
                return result;
            });
    if (name == "issubset" || name == "issuperset")
        return method([sub = name == "issubset"](Interpreter& in, Set& set, Values& args) {
            Set* other = in.heap().make<Set>();
            for (const Value& each : in.list(args.at(0))) other->items.set(each, Value::none());
            return in.compare("<=", sub ? Value(&set) : Value(other), sub ? Value(other) : Value(&set));
        });
    if (name == "copy")
        return method([](Interpreter& in, Set& set, Values&) {
            Set* copy = in.heap().make<Set>();
            set.items.forEach([&](const Value& key, const Value&) { copy->items.set(key, Value::none()); });
            return Value(copy);
        });
    return {};
}

/// Methods of iterators and generators.
Value Interpreter::iteratorMethod(Iterator& self, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [self = &self, body](Interpreter& in, Values& args, Keywords&) -> Value {
            return body(in, *self, args);
        });
    };
    if (name == "__next__") return method([](Interpreter& in, Iterator& each, Values&) { return in.next(each); });
    if (name == "__iter__") return method([](Interpreter&, Iterator& each, Values&) { return Value(&each); });
    if (!self.run) return {};
    const auto resumed = [](Interpreter& in, Iterator& each, const Value& value) {
        if (value.isSet()) return value;
        return in.next(each); // StopIteration
    };
    if (name == "send")
        return method([resumed](Interpreter& in, Iterator& each, Values& args) {
            return resumed(in, each, each.run->resume(args.at(0)));
        });
    if (name == "throw")
        return method([resumed](Interpreter& in, Iterator& each, Values& args) {
            Value exception = args.size() > 1 && !args[1].isNone() ? args[1] : args.at(0);
            if (exception.as<Class>()) exception = in.call(exception, {});
            return resumed(in, each, each.run->resume(Value::none(), std::make_exception_ptr(Raised{exception})));
        });
    if (name == "close")
        return method([](Interpreter&, Iterator& each, Values&) {
            each.run->close();
            return Value::none();
        });
    return {};
}

} // namespace fx::python
