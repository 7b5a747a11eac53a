// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/held_tensors.h"

#include "core/python/python_interpreter.h"
#include "core/python/values/set_order.h"

#include <map>
#include <unordered_set>

namespace fx::python {

namespace {
/// Follows references without recursion: a program may nest its containers deeply.
class HeldTensors {
public:
    std::vector<TensorPtr> take() { return std::move(m_found); }
    void add(const Value& value) {
        if (value.kind == Value::Kind::Object && m_met.insert(value.object).second) m_open.push_back(value);
    }
    void add(const Scope* scope) {
        for (; scope && m_scopes.insert(scope).second; scope = scope->parent) add(scope->names);
    }
    void follow() {
        while (!m_open.empty()) {
            trace::charge(1);
            const Value next = m_open.back();
            m_open.pop_back();
            open(next);
        }
    }

private:
    void add(const Names& names) {
        for (const auto& [name, value] : names.items()) add(value);
    }
    void add(const Values& values) {
        for (const Value& value : values) add(value);
    }
    void add(const Dict& dict) {
        dict.forEach([this](const Value& key, const Value& value) { add(key), add(value); });
        if (dict.attributes) add(*dict.attributes);
    }
    void add(const TensorPtr& tensor) {
        if (tensor && m_tensors.insert(tensor.get()).second) m_found.push_back(tensor);
    }

    void open(const Value& value) {
        if (const Values* items = itemsOf(value)) return add(*items);
        if (const auto* dict = value.as<Dict>()) return add(*dict);
        if (const auto* set = value.as<Set>()) return add(set->items);
        if (const auto* traced = value.as<Traced>()) return open(traced->value);
        if (const auto* instance = value.as<Instance>()) return open(*instance);
        if (const auto* type = value.as<Class>()) {
            for (const Class* each : type->order) add(each->members);
        } else if (const auto* function = value.as<Function>()) {
            add(function->defaults), add(function->attributes), add(function->closure);
        } else if (const auto* method = value.as<Method>()) {
            add(method->self), add(method->function);
        } else if (const auto* wrapper = value.as<Wrapper>()) {
            add(wrapper->function);
        } else if (const auto* property = value.as<Property>()) {
            add(property->getter);
        }
    }
    void open(const Instance& instance) {
        add(instance.attributes), add(instance.payload);
        if (instance.type) add(Value(instance.type));
        if (!instance.module) return;
        forEachModule(*instance.module, [this](const std::string&, const Module& module) {
            forEachOwnTensor(module, [this](const std::string&, const TensorPtr& tensor) { add(tensor); });
        });
    }
    void open(const trace::Value& value) {
        if (const auto* tensor = value.as<trace::TensorValue>()) add(tensor->tensor);
        if (const auto* sequence = value.as<trace::ValueSequence>())
            for (const trace::Value& item : sequence->items) open(item);
        if (const auto* dict = value.as<trace::ValueDict>())
            for (const auto& [key, item] : dict->items) open(item);
        if (const auto* method = value.as<trace::BoundMethod>()) open(method->self);
    }

    std::vector<TensorPtr> m_found;
    std::vector<Value> m_open;
    std::unordered_set<const Object*> m_met;
    std::unordered_set<const Scope*> m_scopes;
    std::unordered_set<const TensorRef*> m_tensors;
};
} // namespace

std::vector<TensorPtr> heldTensors(Interpreter& in) {
    HeldTensors held;
    for (Instance* module : in.modules().all()) held.add(Value(module));
    const std::map<std::string, SourceFile*> files(in.imports().files().begin(), in.imports().files().end());
    for (const auto& [name, file] : files)
        if (!file->path.empty()) held.add(file->globals);
    held.follow();
    return held.take();
}

} // namespace fx::python
