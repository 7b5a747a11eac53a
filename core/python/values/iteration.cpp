// SPDX-License-Identifier: GPL-3.0-or-later
// Iteration.
#include "core/python/execution/generator_run.h"
#include "core/python/interpreter.h"

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

Iterator* Interpreter::iterator(std::function<Value()> next) {
    Iterator* made = m_heap.make<Iterator>();
    made->next = std::move(next);
    return made;
}

Value Interpreter::next(Iterator& iterator) {
    const Value value = iterator.next();
    if (value.isSet()) return value;
    Values args;
    if (iterator.run && !iterator.run->returned().isNone()) args.push_back(iterator.run->returned());
    throw Raised{instantiate(builtinClass("StopIteration"), std::move(args), {})};
}

void Interpreter::checkGenerators() {
    for (const auto& each : m_generators) {
        const auto run = each.lock();
        if (!run || !run->hasCleanup()) continue;
        standAt(run->place().file, run->place().offset);
        throw CannotFollow(Message("trace.generator_left"));
    }
}

Iterator* Interpreter::iterate(const Value& iterable) {
    if (auto* iterator = iterable.as<Iterator>()) return iterator;
    if (const Value own = specialMethod(iterable, "__iter__"); own.isSet()) {
        const Value made = call(own, {});
        if (made.as<Iterator>()) return made.as<Iterator>();
        const Value next = specialMethod(made, "__next__");
        if (!next.isSet()) return iterate(made);
        return iterator([this, next]() -> Value {
            try {
                return call(next, {});
            } catch (const Raised& raised) {
                if (!isInstance(raised.exception, builtinClass("StopIteration"))) throw;
                failedIn.clear();
                return {};
            }
        });
    }
    const Value& in = plain(iterable);
    if (const auto* instance = in.as<Instance>(); instance && !instance->module)
        if (const Value get = specialMethod(in, "__getitem__"); get.isSet())
            return iterator([this, get, at = std::int64_t{0}]() mutable -> Value {
                try {
                    return call(get, {Value(at++)});
                } catch (const Raised& raised) {
                    if (!isInstance(raised.exception, builtinClass("IndexError"))) throw;
                    failedIn.clear();
                    return {};
                }
            });
    if (itemsOf(in)) // a list may grow meanwhile
        return iterator([in, at = std::size_t{0}]() mutable {
            const Values& items = *itemsOf(in);
            return at < items.size() ? items[at++] : Value();
        });
    if (const auto* range = in.as<RangeObject>())
        return iterator([start = range->start, step = range->step, left = range->size()]() mutable {
            if (left-- <= 0) return Value();
            const Value value(start);
            start += step;
            return value;
        });
    Values all;
    if (auto* dict = in.as<Dict>()) {
        dict->forEach([&](const Value& key, const Value&) { all.push_back(key); });
    } else if (auto* set = in.as<Set>()) {
        set->items.forEach([&](const Value& key, const Value&) { all.push_back(key); });
    } else if (const auto* view = in.as<DictView>()) {
        all = viewed(*view);
    } else if (const auto* text = in.as<Str>()) {
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
        return iterate(call(attribute(in, "__iter__"), {}));
    } else if (isProxy(in)) {
        if (hooks && hooks->iterate) return iterate(hooks->iterate(in));
        throw PythonError(Message("python.iterated"));
    } else if (const auto* tensor = tensorIn(in); tensor && tensor->shapeKnown && !tensor->tensor->sizes.empty()) {
        for (std::int64_t i = 0; i < tensor->tensor->sizes[0]; ++i) all.push_back(item(in, {i}));
    } else if (const auto* opaque = in.as<Opaque>()) {
        throw CannotFollow(unknownImport(opaque->path));
    } else if (const auto* traced = in.as<Traced>(); traced && traced->value.as<trace::ValueSequence>()) {
        for (const auto& each : traced->value.as<trace::ValueSequence>()->items) all.push_back(fromTrace(each));
    } else {
        raise("TypeError", "'" + str(attribute(typeOf(iterable), "__name__")) + "' object is not iterable");
    }
    return iterate(tuple(std::move(all)));
}

Values Interpreter::list(const Value& iterable) {
    if (const auto* items = itemsOf(plain(iterable)); items && !specialMethod(iterable, "__iter__").isSet())
        return *items;
    Values out;
    Iterator* each = iterate(iterable);
    for (Value value = each->next(); value.isSet(); value = each->next()) {
        out.push_back(value);
        if (out.size() > kMaxSteps) throw CannotFollow(Message("trace.long_generator", {{"limit", kMaxSteps}}));
    }
    return out;
}

Tuple* Interpreter::tuple(Values items) {
    Tuple* made = m_heap.make<Tuple>();
    made->items = std::move(items);
    return made;
}

List* Interpreter::listOf(Values items) {
    List* made = m_heap.make<List>();
    made->items = std::move(items);
    return made;
}

} // namespace fx::python
