// SPDX-License-Identifier: GPL-3.0-or-later
// Items: `object[key]`, read, set and deleted.
#include "core/python/interpreter.h"
#include "core/python/values/slices.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

namespace {
bool isAscii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char each) { return static_cast<unsigned char>(each) < 0x80; });
}
} // namespace

Value Interpreter::item(const Value& object, const Value& key) {
    if (const Value own = specialMethod(object, "__getitem__"); own.isSet()) return call(own, {key});
    const Value& in = plain(object);
    if (!isProxy(in) && !in.as<Dict>() && plainValue(key).isInt() && !key.isInt()) return item(in, plainValue(key));
    const auto* slice = key.as<SliceObject>();
    if (const auto* items = itemsOf(in)) {
        if (slice) return in.as<Tuple>() ? Value(tuple(sliced(*items, *slice))) : Value(listOf(sliced(*items, *slice)));
        if (!key.isInt()) {
            if (isProxy(key))
                throw PythonError("TypeError: " + std::string(in.as<Tuple>() ? "tuple" : "list") +
                                  " indices must be integers or slices, not Proxy");
            raise("TypeError", std::string(in.as<Tuple>() ? "tuple" : "list") +
                                   " indices must be integers or slices, not " +
                                   str(attribute(typeOf(key), "__name__")));
        }
        const auto at = indexIn(key, items->size());
        if (!at) raise("IndexError", std::string(in.as<Tuple>() ? "tuple" : "list") + " index out of range");
        return (*items)[*at];
    }
    if (auto* dict = in.as<Dict>()) {
        if (Value* found = dict->find(plain(key))) return *found;
        if (const Value missing = specialMethod(object, "__missing__"); missing.isSet()) return call(missing, {key});
        if (!dict->factory.isSet() || dict->factory.isNone())
            throw Raised{instantiate(builtinClass("KeyError"), {key}, {})};
        const Value made = call(dict->factory, {});
        dict->set(key, made);
        return made;
    }
    if (const auto* text = in.as<Str>()) {
        if (isAscii(text->text)) {
            if (slice) return this->text(sliced(text->text, *slice));
            const auto at = key.isInt() ? indexIn(key, text->text.size()) : std::nullopt;
            if (!at) raise("IndexError", "string index out of range");
            return this->text(std::string(1, text->text[*at]));
        }
        const Value characters = listOf(list(in)); // Python counts these, not bytes
        const Value part = item(characters, key);
        if (!slice) return part;
        std::string joined;
        for (const Value& each : part.as<List>()->items) joined += each.as<Str>()->text;
        return this->text(joined);
    }
    if (const auto* range = in.as<RangeObject>()) {
        if (slice) return item(listOf(list(in)), key);
        const auto at = indexIn(key, static_cast<std::size_t>(range->size()));
        if (!at) raise("IndexError", "range object index out of range");
        return {range->start + static_cast<std::int64_t>(*at) * range->step};
    }
    if (auto* type = in.as<Class>()) {
        if (const auto* name = type->isEnum ? key.as<Str>() : nullptr) {
            Value* member = type->members.find(name->text);
            const auto* instance = member ? member->as<Instance>() : nullptr;
            if (instance && instance->type == type) return *member;
            throw Raised{instantiate(builtinClass("KeyError"), {key}, {})};
        }
        return in; // Generic[T]
    }
    if (auto* instance = in.as<Instance>(); instance && instance->module)
        return call(attribute(in, "__getitem__"), {key});
    if (in.as<Opaque>()) return in;
    if (const auto* traced = in.as<Traced>()) {
        if (traced->value.as<trace::FunctionValue>()) return in; // typing.List[int]
        if (tensorIn(in) && key.isInt())
            if (const Value part = partOf(tensorIn(in)->tensor, key.asInt()); part.isSet()) return part;
        const trace::Value part = m_tracer->subscript(traced->value, toOperand(key, isProxy(in)));
        if (machine && tensorIn(in) && key.isInt()) m_numbers.learnPart(*tensorIn(in)->tensor, key.asInt(), part);
        return fromTrace(part);
    }
    raise("TypeError", "'" + str(attribute(typeOf(object), "__name__")) + "' object is not subscriptable");
}

void Interpreter::setItem(const Value& object, const Value& key, const Value& value) {
    if (const Value own = specialMethod(object, "__setitem__"); own.isSet()) {
        call(own, {key, value});
        return;
    }
    const Value& in = plain(object);
    if (auto* dict = in.as<Dict>()) return dict->set(plain(key).as<Str>() ? plain(key) : key, value);
    if (auto* list = in.as<List>()) {
        if (const auto* slice = key.as<SliceObject>()) {
            const Span span = spanOf(*slice, list->items.size());
            const Values given = this->list(value);
            const auto first = list->items.begin() + span.start;
            list->items.erase(first, first + static_cast<std::ptrdiff_t>(span.count));
            list->items.insert(list->items.begin() + span.start, given.begin(), given.end());
            return;
        }
        const Value& index = plainValue(key);
        const auto at = index.isInt() ? indexIn(index, list->items.size()) : std::nullopt;
        if (!at) raise("IndexError", "list assignment index out of range");
        list->items[*at] = value;
        return;
    }
    if (isProxy(in)) throw PythonError(Message("python.item_assignment"));
    if (auto* instance = in.as<Instance>(); instance && instance->module) {
        call(attribute(in, "__setitem__"), {key, value});
        return;
    }
    if (tensorIn(in) && isProxy(value)) { // tensor[i] = proxy
        const trace::Values operands{toTrace(in), toTrace(key), toTrace(value)};
        m_tracer->recordMethod("__setitem__", operands, {});
        return;
    }
    if (in.as<Opaque>()) return;
    if (machine && tensorIn(in)) {
        m_numbers.bytesAreCurrent = machine == nullptr;
        m_numbers.forget();
        const trace::Value function = trace::resolveName("operator.setitem");
        m_tracer->computeFunction(*function.as<trace::FunctionValue>(), {toTrace(in), toTrace(key), toTrace(value)},
                                  {});
        return;
    }
    writesTensors |= tensorIn(in) != nullptr;
    throw CannotFollow(Message("trace.item_assignment"));
}

void Interpreter::deleteItem(const Value& object, const Value& key) {
    const Value& in = plain(object);
    if (isProxy(in)) raise("TypeError", "'Proxy' object doesn't support item deletion");
    if (auto* dict = in.as<Dict>()) {
        if (!dict->erase(key)) throw Raised{instantiate(builtinClass("KeyError"), {key}, {})};
    } else if (auto* list = in.as<List>()) {
        if (const auto* slice = key.as<SliceObject>()) {
            const Span span = spanOf(*slice, list->items.size());
            list->items.erase(list->items.begin() + span.start,
                              list->items.begin() + span.start + static_cast<std::ptrdiff_t>(span.count));
        } else if (const auto at = indexIn(key, list->items.size())) {
            list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(*at));
        } else {
            raise("IndexError", "list assignment index out of range");
        }
    } else if (auto* instance = in.as<Instance>(); instance && instance->module) {
        auto& children = instance->module->children;
        if (const auto at = key.isInt() ? indexIn(key, children.size()) : std::nullopt) {
            children.erase(children.begin() + static_cast<std::ptrdiff_t>(*at));
            for (std::size_t i = 0; i < children.size(); ++i) children[i].name = std::to_string(i);
        } else if (key.as<Str>()) {
            std::erase_if(children, [&](const auto& child) { return child.name == key.as<Str>()->text; });
        }
    } else {
        throw CannotFollow(Message("trace.item_assignment"));
    }
}

} // namespace fx::python
