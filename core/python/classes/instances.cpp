// SPDX-License-Identifier: GPL-3.0-or-later
// Instances: how they are made, and records.
#include "core/python/interpreter.h"

namespace fx::python {
using trace::CannotFollow;

Value Interpreter::instantiate(Class* type, Values args, Keywords kwargs) {
    step(m_here.offset);
    if (type->isNamedTuple) return makeNamedTuple(*type, std::move(args), std::move(kwargs));
    if (!type->abstract.empty()) {
        std::string names;
        for (const std::string& name : type->abstract) names += (names.empty() ? "" : ", ") + name;
        raise("TypeError", "Can't instantiate abstract class " + type->name + " with abstract method" +
                               (type->abstract.size() > 1 ? "s " : " ") + names);
    }
    if (Value* create = type->find("__new__"); create && (create->as<Function>() || create->as<Wrapper>())) {
        const Value function = create->as<Wrapper>() ? create->as<Wrapper>()->function : *create;
        Values all{Value(type)};
        all.insert(all.end(), args.begin(), args.end());
        const Value made = call(function, std::move(all), kwargs);
        auto* instance = made.as<Instance>();
        if (instance && instance->type->derivesFrom(type))
            initialise(*instance, *instance->type, std::move(args), std::move(kwargs));
        return made;
    }
    Instance* self = bare(*type);
    initialise(*self, *type, std::move(args), std::move(kwargs));
    return self;
}

void Interpreter::nameClass(Module& module, const Class& type) {
    module.className = type.name;
    module.classModule = type.file ? type.file->name : "";
    if (!type.torchPath.empty()) module.classModule = type.torchPath.substr(0, type.torchPath.rfind('.'));
}

/// An instance whose `__init__` has not run: `object.__new__`.
Instance* Interpreter::bare(Class& type) {
    Instance* self = m_heap.make<Instance>();
    self->type = &type;
    if (type.lostDecorator) throw CannotFollow(*type.lostDecorator);
    if (!type.isModule) return self;
    self->module = std::make_shared<Module>();
    nameClass(*self->module, type);
    m_instances.set(self->module.get(), self);
    m_modules.push_back(self);
    return self;
}

/// The built-in types that a class derives from and whose value its instances hold.
const std::vector<Class*>& Interpreter::heldBy(Class& type) {
    if (type.held) return *type.held;
    type.held.emplace();
    for (const char* name : {"dict", "list", "str", "int", "float", "set", "tuple", "property"})
        if (Class* each = builtinClass(name); type.derivesFrom(each)) type.held->push_back(each);
    return *type.held;
}

void Interpreter::initialise(Instance& self, Class& type, Values args, Keywords kwargs) {
    Value* init = type.find("__init__");
    const auto* written = init ? init->as<Function>() : nullptr;
    self.awaitsInit = type.isModule && written && !written->file->path.empty();
    for (Class* each : heldBy(type)) {
        const bool own = init && init->as<Function>();
        const bool wantsArgs = each == builtinClass("property");
        // What cannot change gets its value from `__new__`, the rest from `__init__`.
        const bool isFixed =
            each != builtinClass("dict") && each != builtinClass("list") && each != builtinClass("set");
        if (own && isFixed && !wantsArgs)
            self.payload = call(each, Values(args.begin(), args.begin() + (args.empty() ? 0 : 1)));
        else self.payload = own && !wantsArgs ? call(each, {}) : call(each, args, kwargs);
        if (auto* dict = self.payload.as<Dict>();
            dict && !own && type.derivesFrom(builtinClass("defaultdict")) && !args.empty())
            dict->factory = args[0];
        if (!own) return;
    }
    if (type.isException) self.attributes.set("args", tuple(args));
    if (type.isException && type.derivesFrom(builtinClass("StopIteration")))
        self.attributes.set("value", args.empty() ? Value::none() : args[0]);
    if (init) {
        call(bound(*init, &self, &type), std::move(args), std::move(kwargs));
    } else if (!type.isException && (!args.empty() || !kwargs.empty())) {
        raise("TypeError", type.name + "() takes no arguments");
    }
}

void Interpreter::nameFields(Class& type) {
    Values names;
    for (const std::string& field : type.fields) names.push_back(text(field));
    type.members.set("_fields", tuple(std::move(names)));
    Dict* defaults = m_heap.make<Dict>();
    for (const std::string& field : type.fields)
        if (const Value* otherwise = type.find(field)) defaults->set(text(field), *otherwise);
    type.members.set("_field_defaults", defaults);
}

Value Interpreter::makeNamedTuple(Class& type, Values args, Keywords kwargs) {
    Instance* self = m_heap.make<Instance>();
    self->type = &type;
    Values items;
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
        Value value = i < args.size() ? args[i] : Value();
        for (const auto& [key, given] : kwargs)
            if (key == type.fields[i]) value = given;
        if (!value.isSet())
            if (Value* otherwise = type.find(type.fields[i])) value = *otherwise;
        if (!value.isSet())
            raise("TypeError", type.name + ".__new__() missing required argument: '" + type.fields[i] + "'");
        self->attributes.set(type.fields[i], value);
        items.push_back(value);
    }
    if (args.size() > type.fields.size())
        raise("TypeError",
              type.name + ".__new__() takes " + std::to_string(type.fields.size() + 1) + " positional arguments");
    self->payload = tuple(std::move(items));
    return self;
}

Value Interpreter::specialMethod(const Value& object, std::string_view name) {
    auto* instance = object.as<Instance>();
    if (!instance) return {};
    Value* member = instance->type->find(name);
    if (!member || (!member->as<Function>() && !member->as<Native>())) return {};
    return bound(*member, object, instance->type);
}

} // namespace fx::python
