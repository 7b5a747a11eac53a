// SPDX-License-Identifier: GPL-3.0-or-later
// Items: `object[key]`, read, set and deleted.
#include "core/python/builtins/integers.h"
#include "core/python/python_interpreter.h"
#include "core/python/tracing/call_rules.h"
#include "core/python/values/slices.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

namespace {
bool isAscii(std::string_view text) {
    trace::charge(text.size() / 256);
    return std::all_of(text.begin(), text.end(), [](char each) { return static_cast<unsigned char>(each) < 0x80; });
}
std::vector<std::string_view> charactersOf(std::string_view text) {
    trace::charge(text.size() / 16);
    std::vector<std::string_view> out;
    for (std::size_t at = 0, end = 0; at < text.size(); at = end) {
        end = at + 1;
        while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
        out.push_back(text.substr(at, end - at));
    }
    return out;
}
} // namespace

Value Items::item(const Value& object, const Value& key) {
    if (const Value own = specialMethod(object, "__getitem__"); own.isSet()) return call(own, {key});
    if (auto* type = object.as<Class>(); type && type->file && type->find("__class_getitem__"))
        return call(attribute(object, "__class_getitem__"), {key});
    const Value in = plain(object);
    trace::checkStack();
    if (!in.as<Dict>() && key.as<Instance>() && !plain(key).isInt())
        if (const Value own = specialMethod(key, "__index__"); own.isSet()) return item(in, indexOf(m_in, key));
    if (!isProxy(in) && !in.as<Dict>() && plain(key).isInt() && !key.isInt()) return item(in, plain(key));
    std::optional<SliceObject> bounds;
    if (const auto* given = key.as<SliceObject>()) bounds = indexed(m_in, *given);
    const SliceObject* const slice = bounds ? &*bounds : nullptr;
    if (const auto* items = itemsOf(in)) {
        if (slice && in.as<List>()) return listOf(sliced(*items, *slice));
        if (slice) {
            Tuple* part = tuple(sliced(*items, *slice));
            part->isSize = isSize(in);
            return part;
        }
        if (!key.isInt()) {
            if (!isProxy(key) && typeOf(key).as<Class>() == builtinClass("int"))
                raise("IndexError", "cannot fit 'int' into an index-sized integer");
            if (isProxy(key))
                throw PythonError("TypeError: " + std::string(in.as<Tuple>() ? "tuple" : "list") +
                                  " indices must be integers or slices, not Proxy");
            raise("TypeError", std::string(in.as<Tuple>() ? "tuple" : "list") +
                                   " indices must be integers or slices, not " + typeName(key));
        }
        const auto at = indexIn(key, items->size());
        if (!at) raise("IndexError", std::string(in.as<Tuple>() ? "tuple" : "list") + " index out of range");
        return (*items)[*at];
    }
    if (auto* dict = in.as<Dict>()) {
        if (Value* found = dict->find(key)) return *found;
        if (const Value missing = specialMethod(object, "__missing__"); missing.isSet()) return call(missing, {key});
        if (!dict->factory.isSet() || dict->factory.isNone()) m_in.exceptions().raiseWith("KeyError", {key});
        const Value made = call(dict->factory, {});
        dict->set(key, made);
        return made;
    }
    if (const auto* text = in.as<Str>()) {
        requireKnown(key);
        if (!slice && !key.isInt() && !isProxy(key))
            raise("TypeError", "string indices must be integers, not '" + typeName(key) + "'");
        if (isAscii(text->text)) {
            if (slice) return this->text(sliced(text->text, *slice));
            const auto at = key.isInt() ? indexIn(key, text->text.size()) : std::nullopt;
            if (!at) raise("IndexError", "string index out of range");
            return this->text(std::string(1, text->text[*at]));
        }
        const std::vector<std::string_view> characters = charactersOf(text->text); // Python counts these, not bytes
        if (!slice) {
            const auto at = key.isInt() ? indexIn(key, characters.size()) : std::nullopt;
            if (!at) raise("IndexError", "string index out of range");
            return this->text(std::string(characters[*at]));
        }
        std::string joined;
        for (const std::string_view each : sliced(characters, *slice)) joined += each;
        return this->text(joined);
    }
    if (const auto* range = in.as<RangeObject>()) {
        if (slice) {
            const auto [start, stop, step] = boundsOf(*slice, static_cast<std::size_t>(range->size()));
            RangeObject* part = heap().make<RangeObject>();
            part->start = range->at(start);
            part->step = range->step * step;
            part->stop = range->at(stop);
            return part;
        }
        const auto at = indexIn(key, static_cast<std::size_t>(range->size()));
        if (!at) raise("IndexError", "range object index out of range");
        return {range->at(static_cast<std::int64_t>(*at))};
    }
    if (auto* type = in.as<Class>()) {
        if (const auto* name = type->isEnum ? key.as<Str>() : nullptr) {
            Value* member = type->members.find(name->text);
            const auto* instance = member ? member->as<Instance>() : nullptr;
            if (instance && instance->type == type) return *member;
            m_in.exceptions().raiseWith("KeyError", {key});
        }
        return in; // Generic[T]
    }
    if (auto* instance = in.as<Instance>(); instance && instance->module)
        return call(attribute(in, "__getitem__"), {key});
    if (const auto* unknown = in.as<Opaque>()) return heap().make<Opaque>(*unknown, "[...]");
    if (const auto* traced = in.as<Traced>()) {
        if (traced->value.as<trace::FunctionValue>()) return in; // typing.List[int]
        if (const auto* tensor = tensorIn(in)) m_in.tensors().checkData(*tensor);
        if (tensorIn(in) && key.isInt())
            if (const Value part = m_in.tensors().partOf(*tensorIn(in), key.asInt()); part.isSet()) return part;
        const trace::Value part =
            tracer().subscript(traced->value, toOperand(tensorIn(in) ? tensorKey(key) : key, isProxy(in)));
        if (m_in.machine && tensorIn(in) && key.isInt())
            m_in.tensors().numbers().learnPart(*tensorIn(in)->tensor, key.asInt(), part);
        return fromTrace(part);
    }
    raise("TypeError", "'" + typeName(object) + "' object is not subscriptable");
}

namespace {
bool isTracedSlice(const Value& value) {
    const auto* slice = value.as<SliceObject>();
    return slice && (isProxy(slice->start) || isProxy(slice->stop) || isProxy(slice->step));
}
/// Whether a test holds for a key, or for an item of a tuple or list; what lies deeper is not looked at.
bool holdsInKey(const Value& key, bool (*test)(const Value&)) {
    const Values* items = itemsOf(key);
    return test(key) || (items && std::any_of(items->begin(), items->end(), test));
}
bool isTracedItem(const Value& item) { return isProxy(item); }
} // namespace

Value Items::tensorKey(const Value& key) {
    const bool mayHold = key.as<Instance>() || key.as<SliceObject>() || itemsOf(key);
    return mayHold ? m_in.library().tensorKey(key) : key;
}

/// Raises what PyTorch raises for a slice with a proxy, also in a tuple, before it asks the proxies of a key.
void Items::requireIndices(const Value& key) {
    if (!holdsInKey(key, isTracedItem) && holdsInKey(key, isTracedSlice))
        raise("TypeError", "slice indices must be integers or None or have an __index__ method");
}

void Items::setItem(const Value& object, const Value& key, const Value& value) {
    if (const Value own = specialMethod(object, "__setitem__"); own.isSet()) {
        call(own, {key, value});
        return;
    }
    const Value in = plain(object);
    if (m_in.callRules) {
        m_in.callRules->requireOwn(tensorIn(in) ? Value() : object);
        if (isProxy(in) || tensorIn(in)) {
            const trace::Values operands{toTrace(in), toTrace(tensorKey(key)), toTrace(value)};
            if (tensorIn(in)) throw CannotFollow(Message("call.writes_constant"));
            tracer().recordFunction(resolveCallable("_operator.setitem"), operands, {});
            return;
        }
    }
    if (auto* dict = in.as<Dict>()) return dict->set(key, value);
    if (auto* list = in.as<List>()) {
        if (const auto* slice = key.as<SliceObject>()) return setSlice(*list, indexed(m_in, *slice), value);
        const Value index =
            key.as<Instance>() && specialMethod(key, "__index__").isSet() ? indexOf(m_in, key) : plain(key);
        if (!index.isInt() && !isProxy(index))
            raise("TypeError", "list indices must be integers or slices, not " + typeName(index));
        const auto at = index.isInt() ? indexIn(index, list->items.size()) : std::nullopt;
        if (!at) raise("IndexError", "list assignment index out of range");
        list->items[*at] = value;
        return;
    }
    if (isProxy(in) && in.get<Traced>().value.asLazy())
        raise("TypeError", "'" + typeName(in) + "' object does not support item assignment");
    if (isProxy(in)) throw PythonError(Message("python.item_assignment"));
    if (auto* instance = in.as<Instance>(); instance && instance->module) {
        call(attribute(in, "__setitem__"), {key, value});
        return;
    }
    if (tensorIn(in) &&
        (isProxy(value) || holdsInKey(key, isTracedItem) || holdsInKey(key, isTracedSlice))) { // tensor[i] = proxy
        requireIndices(key);
        const trace::Values operands{toTrace(in), toTrace(tensorKey(key)), toTrace(value)};
        tracer().recordMethod("__setitem__", operands, {});
        return;
    }
    if (const auto* unknown = in.as<Opaque>()) return m_in.attributeChanges().requireOtherDict(*unknown);
    if (m_in.machine && tensorIn(in)) {
        m_in.tensors().numbers().bytesAreCurrent = m_in.machine == nullptr;
        m_in.tensors().numbers().forget();
        const trace::Value function = trace::resolveName("operator.setitem");
        tracer().computeFunction(*function.as<trace::FunctionValue>(),
                                 {toTrace(in), toTrace(tensorKey(key)), toTrace(value)}, {});
        return;
    }
    m_in.writesTensors |= tensorIn(in) != nullptr;
    if (in.as<Traced>()) throw CannotFollow(Message("trace.item_assignment"));
    raise("TypeError", "'" + typeName(object) + "' object does not support item assignment");
}

/// `list[slice] = value`: as many items as there are places, unless these are one after the other.
void Items::setSlice(List& list, const SliceObject& slice, const Value& value) {
    requireKnown(value);
    if (!isProxy(value) && value.kind != Value::Kind::Object)
        raise("TypeError",
              spanOf(slice, 0).step == 1 ? "can only assign an iterable" : "must assign iterable to extended slice");
    const Values given = this->list(value);
    Span span = spanOf(slice, list.items.size()); // which `value` may have changed
    if (span.step != 1) {
        if (given.size() != span.count)
            raise("ValueError", "attempt to assign sequence of size " + std::to_string(given.size()) +
                                    " to extended slice of size " + std::to_string(span.count));
        for (std::size_t i = 0; i < span.count; ++i) list.items[span.place(i)] = given[i];
        return;
    }
    trace::charge(list.items.size() / 32);
    trace::chargeBytes(given.size() * sizeof(Value));
    const auto first = list.items.erase(list.items.begin() + span.start,
                                        list.items.begin() + span.start + static_cast<std::ptrdiff_t>(span.count));
    list.items.insert(first, given.begin(), given.end());
}

namespace {
void eraseSlice(Values& items, const Span& span) {
    trace::charge(items.size() / 32);
    std::vector<bool> goes(items.size());
    for (std::size_t i = 0; i < span.count; ++i) goes[span.place(i)] = true;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (!goes[i]) items[kept++] = items[i];
    items.resize(kept);
}
} // namespace

void Items::deleteItem(const Value& object, const Value& key) {
    if (const Value own = specialMethod(object, "__delitem__"); own.isSet()) {
        call(own, {key});
        return;
    }
    const Value in = plain(object);
    if (m_in.callRules) m_in.callRules->requireOwn(object);
    if (isProxy(in)) raise("TypeError", "'" + typeName(in) + "' object doesn't support item deletion");
    if (auto* dict = in.as<Dict>()) {
        if (!dict->erase(key)) m_in.exceptions().raiseWith("KeyError", {key});
    } else if (auto* list = in.as<List>()) {
        if (const auto* slice = key.as<SliceObject>()) {
            const SliceObject bounds = indexed(m_in, *slice);
            eraseSlice(list->items, spanOf(bounds, list->items.size()));
        } else if (!plainValue(key).isInt() && !specialMethod(key, "__index__").isSet()) {
            raise("TypeError", "list indices must be integers or slices, not " + typeName(key));
        } else if (const auto at = indexIn(indexOf(m_in, plainValue(key)), list->items.size())) {
            trace::charge(list->items.size() / 32);
            list->items.erase(list->items.begin() + static_cast<std::ptrdiff_t>(*at));
        } else {
            raise("IndexError", "list assignment index out of range");
        }
    } else if (in.as<Traced>() || in.as<Opaque>()) {
        if (const auto* unknown = in.as<Opaque>()) m_in.attributeChanges().requireOtherDict(*unknown);
        throw CannotFollow(Message("trace.item_assignment"));
    } else {
        raise("TypeError", "'" + typeName(object) + "' object doesn't support item deletion");
    }
}

} // namespace fx::python
