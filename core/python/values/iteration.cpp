// SPDX-License-Identifier: GPL-3.0-or-later
// Iteration.
#include "core/python/execution/generator_run.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

namespace {
/// Whether iterating over an enum gives the member under this name: not by its other names; of flags, single bits.
bool isListed(const Instance& member, const std::string& name) {
    const Value* own = member.attributes.find("name");
    if (!own || !own->as<Str>() || own->as<Str>()->text != name) return false;
    const Value* value = member.type->find("_is_flag_") ? member.attributes.find("_value_") : nullptr;
    return !value || !value->isInt() || (value->asInt() > 0 && (value->asInt() & (value->asInt() - 1)) == 0);
}

} // namespace

Iterator* Iteration::iterator(std::function<Value()> next, std::string_view type) {
    Iterator* made = heap().make<Iterator>();
    made->next = std::move(next);
    made->type = type;
    return made;
}

Value Iteration::next(Iterator& iterator) {
    const Value value = iterator.next();
    if (value.isSet()) return value;
    Values args;
    const Value returned = iterator.run ? iterator.run->returned() : iterator.returned;
    if (returned.isSet() && !returned.isNone()) args.push_back(returned);
    m_in.exceptions().raiseWith("StopIteration", std::move(args));
}

void Iteration::checkGenerators() {
    for (const auto& each : m_generators) {
        const auto run = each.lock();
        if (!run || !run->hasCleanup()) continue;
        stack().standAt(run->place().file, run->place().offset);
        throw CannotFollow(Message("trace.generator_left"));
    }
}

Iterator* Iteration::iteratorBy(const Value& next) {
    Iterator* made = iterator({});
    made->next = [this, next, made]() -> Value {
        try {
            return call(next, {});
        } catch (const Raised& raised) {
            if (!isInstance(raised.exception, builtinClass("StopIteration"))) throw;
            stack().forgetFailure();
            made->returned = attribute(raised.exception, "value");
            return {};
        }
    };
    return made;
}

void Iteration::requireIterator(const Value& made) {
    requireKnown(made);
    const auto* object = made.as<Instance>();
    if (made.as<Iterator>() || made.as<Traced>() || (object && object->module)) return; // torch's have no `__next__`
    if (!specialMethod(made, "__next__").isSet())
        raise("TypeError", "iter() returned non-iterator of type '" + typeName(made) + "'");
}

Iterator* Iteration::iterate(const Value& given) {
    if (auto* iterator = given.as<Iterator>()) {
        if (m_in.callRules) m_in.callRules->requireOwn(given);
        return iterator;
    }
    const Value iterable = given; // `__iter__` may replace it
    trace::checkStack();
    const auto* object = iterable.as<Instance>();
    if (const Value* blocked = object ? object->type->find("__iter__") : nullptr; blocked && blocked->isNone())
        raise("TypeError", "'" + typeName(iterable) + "' object is not iterable");
    if (const Value own = specialMethod(iterable, "__iter__"); own.isSet()) {
        const Value made = call(own, {});
        if (made.as<Iterator>()) return made.as<Iterator>();
        requireIterator(made);
        const Value next = specialMethod(made, "__next__");
        return next.isSet() ? iteratorBy(next) : iterate(made);
    }
    const Value in = plain(iterable);
    if (in.as<Instance>())
        if (const Value get = specialMethod(in, "__getitem__"); get.isSet())
            return iterator([this, get, at = std::int64_t{0}]() mutable -> Value {
                if (at < 0) return {}; // an iterator that has ended stays so
                try {
                    return call(get, {Value(at++)});
                } catch (const Raised& raised) {
                    if (!isInstance(raised.exception, builtinClass("IndexError")) &&
                        !isInstance(raised.exception, builtinClass("StopIteration")))
                        throw;
                    stack().forgetFailure();
                    at = -1;
                    return {};
                }
            });
    if (itemsOf(in)) // a list may grow meanwhile, but an iterator that has ended stays so
        return iterator(
            [in, at = std::size_t{0}]() mutable {
                const Values& items = *itemsOf(in);
                if (at < items.size()) return items[at++];
                at = SIZE_MAX;
                return Value();
            },
            in.as<List>() ? "list_iterator" : "tuple_iterator");
    if (const auto* range = in.as<RangeObject>())
        return iterator(
            [range = *range, left = range->size()]() mutable {
                if (left-- <= 0) return Value();
                const Value value(range.start);
                range.start = range.at(1);
                return value;
            },
            "range_iterator");
    if (const auto* dict = in.as<Dict>()) return iterator(dictItems(*dict, DictView::Kind::Keys), "dict_keyiterator");
    if (const auto* view = in.as<DictView>()) {
        static constexpr std::string_view kTypes[] = {"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"};
        return iterator(dictItems(*view->dict, view->kind), kTypes[static_cast<std::size_t>(view->kind)]);
    }
    if (const auto* set = in.as<Set>())
        return iterator(
            [this, set, keys = set->keys(), at = std::size_t{0}]() mutable -> Value {
                if (at > keys.size()) return {};
                if (set->items.size() != keys.size()) raise("RuntimeError", "Set changed size during iteration");
                return at < keys.size() ? keys[at++] : (++at, Value());
            },
            "set_iterator");
    Values all;
    if (const auto* text = in.as<Str>()) {
        for (std::size_t at = 0; at < text->text.size();) {
            std::size_t end = at + 1;
            while (end < text->text.size() && (text->text[end] & 0xC0) == 0x80) ++end;
            all.push_back(this->text(text->text.substr(at, end - at)));
            at = end;
        }
    } else if (auto* type = in.as<Class>(); type && type->isEnum) {
        for (const auto& [name, member] : type->members.items())
            if (const auto* instance = member.as<Instance>(); instance && instance->type == type)
                if (isListed(*instance, name)) all.push_back(member);
    } else if (auto* instance = in.as<Instance>(); instance && instance->module) {
        const Value own = m_in.attributes().softAttribute(in, "__iter__");
        if (!own.isSet()) raise("TypeError", "'" + typeName(in) + "' object is not iterable");
        return iterate(call(own, {}));
    } else if (isProxy(in)) {
        if (m_in.hooks && m_in.hooks->iterate) return iterate(m_in.hooks->iterate(in));
        throw PythonError(Message("python.iterated"));
    } else if (const auto* tensor = tensorIn(in); tensor && tensor->shapeKnown && !tensor->tensor->sizes.empty()) {
        for (std::int64_t i = 0; i < tensor->tensor->sizes[0]; ++i) all.push_back(item(in, {i}));
    } else if (tensor && !tensor->shapeKnown) { // several tensors, perhaps
        throw CannotFollow(Message("trace.unknown_items", {{"value", trace::textOf(in.get<Traced>().value)}}));
    } else if (tensor) {
        raise("TypeError", "iteration over a 0-d tensor");
    } else if (const auto* opaque = in.as<Opaque>()) {
        throw CannotFollow(unknownImport(*opaque));
    } else if (const auto* traced = in.as<Traced>(); traced && traced->value.as<trace::ValueSequence>()) {
        for (const auto& each : traced->value.as<trace::ValueSequence>()->items) all.push_back(fromTrace(each));
    } else if (const auto* held = traced ? traced->value.as<Argument>() : nullptr; held && held->as<Bytes>()) {
        throw CannotFollow(Message("trace.not_computed", {{"function", "iter"}}));
    } else {
        raise("TypeError", "'" + typeName(iterable) + "' object is not iterable");
    }
    Iterator* made = iterate(tuple(std::move(all)));
    if (const auto* text = in.as<Str>()) {
        const auto isWide = [](char each) { return (each & 0x80) != 0; };
        made->type = std::any_of(text->text.begin(), text->text.end(), isWide) ? "str_iterator" : "str_ascii_iterator";
    }
    return made;
}

Iterator* Iteration::iterateOr(const Value& iterable, const std::string& problem) {
    try {
        return iterate(iterable);
    } catch (const Raised& raised) {
        if (!isInstance(raised.exception, builtinClass("TypeError"))) throw;
        stack().forgetFailure();
    }
    raise("TypeError", problem);
}

/// Draws from a dict; raises RuntimeError if it has changed meanwhile, as far as CPython notices.
std::function<Value()> Iteration::dictItems(const Dict& dict, DictView::Kind kind) {
    return [this, &dict, kind, at = std::size_t{0}, size = dict.size(), left = dict.size(), changes = dict.changes(),
            isOver = false]() mutable -> Value {
        if (isOver) return {};
        if (dict.isOrdered && dict.changes() != changes) raise("RuntimeError", "OrderedDict mutated during iteration");
        if (dict.size() != size) raise("RuntimeError", "dictionary changed size during iteration");
        const auto [key, value] = dict.nextItem(at);
        isOver = !key.isSet() || left == 0;
        if (!key.isSet()) return key;
        if (left-- == 0) raise("RuntimeError", "dictionary keys changed during iteration");
        if (kind == DictView::Kind::Keys) return key;
        return kind == DictView::Kind::Items ? Value(tuple({key, value})) : value;
    };
}

void Iteration::forEachItem(const Value& iterable, const std::function<void(const Value& item)>& visit) {
    Iterator* each = iterate(iterable);
    for (Value value = each->next(); value.isSet(); value = each->next()) visit(value);
}

void Iteration::extend(List& list, const Value& iterable) {
    const Value given = plain(iterable);
    const bool isListed = itemsOf(given) && !specialMethod(iterable, "__iter__").isSet();
    if (isListed || (iterable.as<Instance>() && specialMethod(iterable, "__len__").isSet())) {
        const Values more = isListed ? *itemsOf(given) : filled(iterable); // may be the list itself
        trace::charge(more.size() / 32);
        trace::chargeBytes(more.size() * sizeof(Value));
        list.items.insert(list.items.end(), more.begin(), more.end());
        return;
    }
    forEachItem(iterable, [&](const Value& item) {
        trace::chargeBytes(sizeof(Value));
        list.items.push_back(item);
        if (list.items.size() > Interpreter::kMaxSteps)
            throw CannotFollow(Message("trace.long_generator", {{"limit", Interpreter::kMaxSteps}}));
    });
}

Values Iteration::drawn(const Value& iterable, std::size_t count) {
    if (itemsOf(iterable)) return list(iterable);
    Values out;
    Iterator* each = iterate(iterable);
    while (out.size() < count) {
        const Value value = each->next();
        if (!value.isSet()) break;
        out.push_back(value);
    }
    return out;
}

Values Iteration::list(const Value& iterable) {
    if (const auto* items = itemsOf(plain(iterable)); items && !specialMethod(iterable, "__iter__").isSet()) {
        trace::charge(items->size() / 32);
        return *items;
    }
    Values out;
    if (const auto* range = iterable.as<RangeObject>()) {
        trace::chargeBytes(static_cast<std::uint64_t>(range->size()) * sizeof(Value));
        out.reserve(static_cast<std::size_t>(range->size()));
    }
    Iterator* each = iterate(iterable);
    for (Value value = each->next(); value.isSet(); value = each->next()) {
        out.push_back(value);
        if (out.size() > Interpreter::kMaxSteps)
            throw CannotFollow(Message("trace.long_generator", {{"limit", Interpreter::kMaxSteps}}));
    }
    return out;
}

Values Iteration::filled(const Value& iterable) {
    const auto* object = iterable.as<Instance>();
    if (!object || object->module || !specialMethod(iterable, "__len__").isSet()) return list(iterable);
    Iterator* const each = iterate(iterable);
    try {
        length(iterable);
    } catch (const Raised& raised) {
        if (!isInstance(raised.exception, builtinClass("TypeError"))) throw;
        stack().forgetFailure();
    }
    return list(each);
}

Tuple* Iteration::tuple(Values items) {
    trace::chargeBytes(items.size() * sizeof(Value));
    Tuple* made = heap().make<Tuple>();
    made->items = std::move(items);
    return made;
}

List* Iteration::listOf(Values items) {
    trace::chargeBytes(items.size() * sizeof(Value));
    List* made = heap().make<List>();
    made->items = std::move(items);
    return made;
}

} // namespace fx::python
