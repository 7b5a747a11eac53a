// SPDX-License-Identifier: GPL-3.0-or-later
// Methods of list, dict and set.
#include "core/python/builtins/integers.h"
#include "core/python/execution/generator_run.h"
#include "core/python/python_interpreter.h"
#include "core/python/values/slices.h"

#include <algorithm>
#include <array>

namespace fx::python {
namespace {
std::size_t place(Interpreter& in, const Value& value, std::size_t size) {
    const std::int64_t at = indexOf(in, value).asInt(), length = static_cast<std::int64_t>(size);
    return static_cast<std::size_t>(std::clamp<std::int64_t>(at < 0 ? at + length : at, 0, length));
}
} // namespace

Value BuiltinMethods::listMethod(List& self, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [&self, body](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            return body(in, self, args, kwargs);
        });
    };
    if (name == "append")
        return method([](Interpreter&, List& list, Values& args, Keywords&) {
            trace::chargeBytes(sizeof(Value));
            list.items.push_back(args.at(0));
            return Value::none();
        });
    if (name == "extend")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            in.extend(list, args.at(0));
            return Value::none();
        });
    if (name == "insert")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            trace::chargeBytes(sizeof(Value));
            trace::charge(list.items.size() / 32);
            const auto at = static_cast<std::ptrdiff_t>(place(in, args.at(0), list.items.size()));
            list.items.insert(list.items.begin() + at, args.at(1));
            return Value::none();
        });
    if (name == "pop")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            if (list.items.empty()) in.raise("IndexError", "pop from empty list");
            const auto at = indexIn(args.empty() ? Value(std::int64_t{-1}) : indexOf(in, args[0]), list.items.size());
            if (!at) in.raise("IndexError", "pop index out of range");
            trace::charge((list.items.size() - *at) / 32);
            const Value value = list.items[*at];
            list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(*at));
            return value;
        });
    if (name == "remove" || name == "index")
        return method([removes = name == "remove"](Interpreter& in, List& list, Values& args, Keywords&) {
            const std::size_t size = list.items.size();
            const std::size_t first = args.size() > 1 ? place(in, args[1], size) : 0;
            const std::size_t last = args.size() > 2 ? place(in, args[2], size) : SIZE_MAX;
            for (std::size_t i = first; i < std::min(last, list.items.size()); ++i) {
                if (!in.isItem(list.items[i], args.at(0))) continue;
                if (removes && i < list.items.size()) // `__eq__` may have emptied it
                    list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(i));
                return removes ? Value::none() : Value::integerOf(i);
            }
            in.raise("ValueError", removes ? "list.remove(x): x not in list" : in.repr(args.at(0)) + " is not in list");
        });
    if (name == "count")
        return method([](Interpreter& in, List& list, Values& args, Keywords&) {
            std::size_t count = 0;
            for (std::size_t i = 0; i < list.items.size(); ++i) count += in.isItem(list.items[i], args.at(0)) ? 1 : 0;
            return Value::integerOf(count);
        });
    if (name == "reverse")
        return method([](Interpreter&, List& list, Values&, Keywords&) {
            trace::charge(list.items.size() / 32);
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
            struct Restore { // Python shows no items meanwhile, and keeps them if a key raises
                List& list;
                Values items;
                explicit Restore(List& sorting) : list(sorting), items(std::exchange(sorting.items, {})) {}
                ~Restore() { list.items = std::move(items); }
            } restore(list);
            restore.items =
                in.call(*in.builtins().names().find("sorted"), {in.listOf(restore.items)}, kwargs).get<List>().items;
            if (list.items.capacity() != 0) in.raise("ValueError", "list modified during sort");
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

Value BuiltinMethods::dictMethod(Dict& self, std::string_view name) {
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
            if (Value* found = kind == 'p' && dict.size() == 0 ? nullptr : dict.find(args.at(0))) {
                const Value value = *found;
                if (kind == 'p') dict.erase(args[0]);
                return value;
            }
            if (kind == 's') dict.set(args[0], otherwise.isSet() ? otherwise : Value::none());
            if (kind == 'p' && !otherwise.isSet()) in.exceptions().raiseWith("KeyError", {args[0]});
            return otherwise.isSet() ? otherwise : Value::none();
        });
    if (name == "update")
        return method([](Interpreter& in, Dict& dict, Values& args, Keywords& kwargs) {
            for (const Value& arg : args) {
                const Value own = in.softAttribute(arg, "keys");
                if (own.isSet())
                    for (const Value& key : in.list(in.call(own, {}))) dict.set(key, in.item(arg, key));
                else
                    in.forEachItem(arg, [&, at = 0](const Value& pair) mutable {
                        if (pair.isNumber() || pair.isNone())
                            in.raise("TypeError", "cannot convert dictionary update sequence element #" +
                                                      std::to_string(at) + " to a sequence");
                        const Values both = in.list(pair);
                        if (both.size() != 2)
                            in.raise("ValueError", "dictionary update sequence element #" + std::to_string(at) +
                                                       " has length " + std::to_string(both.size()) +
                                                       "; 2 is required");
                        dict.set(both[0], both[1]);
                        ++at;
                    });
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
            const auto [key, value] = dict.itemAtEnd(isLast);
            if (!key.isSet()) in.raise("KeyError", "popitem(): dictionary is empty");
            dict.erase(key);
            return Value(in.tuple({key, value}));
        });
    if (name == "move_to_end")
        return method([](Interpreter& in, Dict& dict, Values& args, Keywords& kwargs) {
            const Value key = args.at(0);
            const Value* found = dict.find(key);
            if (!found) in.exceptions().raiseWith("KeyError", {key});
            std::vector<std::pair<Value, Value>> after;
            const bool isLast = fromTheEnd(in, args, kwargs, 1);
            after.emplace_back(key, *found);
            if (!isLast)
                dict.forEach([&](const Value& each, const Value& value) {
                    if (!isSameKey(each, key)) after.emplace_back(each, value);
                });
            for (const auto& [each, value] : after) {
                dict.erase(each);
                dict.set(each, value);
            }
            return Value::none();
        });
    return {};
}

Values BuiltinMethods::viewed(const DictView& view) {
    using Kind = DictView::Kind;
    Values out;
    view.dict->forEach([&](const Value& key, const Value& value) {
        out.push_back(view.kind == Kind::Keys         ? key
                      : view.kind == Kind::ValuesOnly ? value
                                                      : Value(tuple({key, value})));
    });
    return out;
}

Set* BuiltinMethods::setOf(const Value& iterable) {
    if (auto* set = iterable.as<Set>()) return set;
    Set* made = heap().make<Set>();
    addTo(*made, iterable);
    return made;
}

Value BuiltinMethods::asMember(const Value& value) {
    const auto* asked = plain(value).as<Set>();
    if (!asked || asked->isFrozen) return value;
    Set* frozen = heap().make<Set>();
    frozen->merge(*asked);
    frozen->isFrozen = true;
    return frozen;
}

void BuiltinMethods::addTo(Set& set, const Value& iterable) {
    if (const auto* other = iterable.as<Set>()) return set.merge(*other);
    if (const auto* dict = iterable.as<Dict>(); dict && !dict->isOrdered && !dict->factory.isSet())
        set.order.reserve(dict->size());
    forEachItem(iterable, [&](const Value& each) { set.add(each); });
}

namespace {
Set* copied(Interpreter& in, const Set& set) {
    Set* copy = in.heap().make<Set>();
    copy->isFrozen = set.isFrozen;
    copy->merge(set);
    return copy;
}

/// `set.union` and such with one argument, of which CPython adds, finds or removes the items one by one.
Value combined(Interpreter& in, std::string_view op, Set& set, const Value& with) {
    if (op == "or_") {
        in.builtinMethods().addTo(set, with);
        return &set;
    }
    Set* result = in.heap().make<Set>();
    if (const auto* other = with.as<Set>()) {
        combineSets(op, set, *other, *result);
    } else if (op == "and_") {
        in.forEachItem(with, [&](const Value& each) {
            if (set.items.find(each)) result->add(each);
        });
    } else if (op == "sub") {
        result->merge(set);
        combineInPlace(op, *result, *in.builtinMethods().setOf(with));
    } else {
        in.builtinMethods().addTo(*result, with);
        combineInPlace(op, *result, set);
    }
    return result;
}
} // namespace

Value BuiltinMethods::setMethod(Set& self, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [&self, body](Interpreter& in, Values& args, Keywords&) -> Value {
            return body(in, self, args);
        });
    };
    static constexpr std::array<std::string_view, 9> kChanging = {"add",
                                                                  "discard",
                                                                  "remove",
                                                                  "clear",
                                                                  "pop",
                                                                  "update",
                                                                  "difference_update",
                                                                  "intersection_update",
                                                                  "symmetric_difference_update"};
    if (self.isFrozen && std::find(kChanging.begin(), kChanging.end(), name) != kChanging.end()) return {};
    if (name == "add")
        return method([](Interpreter&, Set& set, Values& args) {
            set.add(args.at(0));
            return Value::none();
        });
    if (name == "discard" || name == "remove")
        return method([must = name == "remove"](Interpreter& in, Set& set, Values& args) {
            if (!set.remove(in.builtinMethods().asMember(args.at(0))) && must)
                in.exceptions().raiseWith("KeyError", {args[0]});
            return Value::none();
        });
    if (name == "clear")
        return method([](Interpreter&, Set& set, Values&) {
            set.clear();
            return Value::none();
        });
    if (name == "pop")
        return method([](Interpreter& in, Set& set, Values&) {
            const Value taken = set.pop();
            if (!taken.isSet()) in.raise("KeyError", "pop from an empty set");
            return taken;
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
                if (keeps && !arg.as<Set>()) {
                    Set common;
                    in.forEachItem(arg, [&](const Value& each) {
                        if (set.items.find(each)) common.add(each);
                    });
                    set.items.clear();
                    set.order = common.order;
                    for (const Value& key : common.keys()) set.items.set(key, Value::none());
                } else {
                    combineInPlace(keeps ? "and_" : "sub", set, *in.builtinMethods().setOf(arg));
                }
            }
            return Value::none();
        });
    if (name == "update")
        return method([](Interpreter& in, Set& set, Values& args) {
            for (const Value& arg : args) in.builtinMethods().addTo(set, arg);
            return Value::none();
        });
    if (name == "symmetric_difference_update")
        return method([](Interpreter& in, Set& set, Values& args) {
            combineInPlace("xor", set, *in.builtinMethods().setOf(args.at(0)));
            return Value::none();
        });
    static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
        {"union", "or_"}, {"intersection", "and_"}, {"difference", "sub"}, {"symmetric_difference", "xor"}};
    for (const auto& [word, op] : kOperators)
        if (word == name)
            return method([op = op](Interpreter& in, Set& set, Values& args) {
                Value result = args.empty() || op == "or_" ? Value(copied(in, set)) : Value(&set);
                for (const Value& arg : args) result = combined(in, op, result.get<Set>(), arg);
                result.get<Set>().isFrozen = set.isFrozen;
                return result;
            });
    if (name == "issubset" || name == "issuperset")
        return method([sub = name == "issubset"](Interpreter& in, Set& set, Values& args) {
            Set* const other = in.builtinMethods().setOf(args.at(0));
            return in.compare("<=", sub ? Value(&set) : Value(other), sub ? Value(other) : Value(&set));
        });
    if (name == "copy")
        return method(
            [](Interpreter& in, Set& set, Values&) { return set.isFrozen ? Value(&set) : Value(copied(in, set)); });
    return {};
}

/// Methods of iterators and generators.
Value BuiltinMethods::iteratorMethod(Iterator& self, std::string_view name) {
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
