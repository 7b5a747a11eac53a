// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of modules that are numbers, texts, types and such, as data.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

namespace {
bool isPlain(const Value& value, int depth = 0) {
    const auto isInner = [depth](const Value& each) { return isPlain(each, depth + 1); };
    if (depth > kMaxArgumentDepth) return false;
    trace::charge(1);
    if (const Values* items = itemsOf(value)) return std::all_of(items->begin(), items->end(), isInner);
    if (const auto* slice = value.as<SliceObject>())
        return isInner(slice->start) && isInner(slice->stop) && isInner(slice->step);
    if (const auto* dict = value.as<Dict>()) {
        bool all = !dict->isOrdered && !dict->factory.isSet();
        dict->forEach([&](const Value& key, const Value& each) { all = all && isInner(key) && isInner(each); });
        return all;
    }
    if (value.as<RangeObject>()) return true;
    const auto* traced = value.as<Traced>();
    const auto* instance = value.as<Instance>();
    if (instance && instance->type->isArrayNumber) return true;
    return value.kind != Value::Kind::Object || value.as<Str>() || (traced && traced->value.as<Argument>());
}
} // namespace

/// A plain attribute as data; also of kinds that torch.fx does not take as arguments, as it does not ask for them.
Argument Modules::plainArgument(const Value& value) {
    const auto all = [&](const Values& items) {
        trace::chargeBytes(items.size() * sizeof(Argument));
        std::vector<Argument> out;
        for (const Value& each : items) out.push_back(plainArgument(each));
        return out;
    };
    if (const auto* traced = value.as<Traced>())
        if (const auto* argument = traced->value.as<Argument>()) return *argument;
    if (const auto* tuple = value.as<Tuple>(); tuple && tuple->fields.empty())
        return Argument::tuple(all(tuple->items));
    if (const auto* list = value.as<List>()) return Argument::list(all(list->items));
    if (const auto* slice = value.as<SliceObject>())
        return Argument::slice(plainArgument(slice->start), plainArgument(slice->stop), plainArgument(slice->step));
    if (const auto* range = value.as<RangeObject>()) return Range{range->start, range->stop, range->step};
    if (const auto* dict = value.as<Dict>()) {
        std::vector<std::pair<Argument, Argument>> items;
        dict->forEach(
            [&](const Value& key, const Value& each) { items.emplace_back(plainArgument(key), plainArgument(each)); });
        return Argument::dict(std::move(items));
    }
    return tracer().toArgument(toOperand(value, false));
}

void Modules::syncModule(Instance& instance) {
    for (const auto& [name, value] : instance.attributes.items())
        if (isPlain(value)) {
            auto& known = instance.module->attributes;
            std::erase_if(known, [n = &name](const auto& each) { return each.first == *n; });
            known.emplace_back(name, plainArgument(value));
        }
}

void Modules::syncModules() {
    for (Instance* instance : m_modules) syncModule(*instance);
}

} // namespace fx::python
