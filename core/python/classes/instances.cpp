// SPDX-License-Identifier: GPL-3.0-or-later
// Instances: how they are made, and records.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;

/// `NamedTuple("Point", [("x", int), ("y", int)])`.
Value Instances::namedTupleClass(const Values& args, const Keywords& kwargs) {
    List* names = listOf({});
    if (args.size() > 1)
        forEachItem(args[1], [&](const Value& field) { names->items.push_back(item(field, Value(std::int64_t{0}))); });
    for (const auto& [name, type] : kwargs) names->items.push_back(text(name));
    return call(*builtin("__namedtuple__"), {args.at(0), names, listOf({})});
}

Value Instances::instantiate(Class* type, Values args, Keywords kwargs) {
    m_in.statements().step(stack().here.offset);
    const Value* own = type->find("__new__");
    const bool hasNew = own && (own->as<Function>() || own->as<Wrapper>());
    if (type == builtinClass("__NamedTuple__")) return namedTupleClass(args, kwargs);
    if (!hasNew && args.size() == 3 && type->derivesFrom(builtinClass("type"))) {
        const Value made = call(builtinClass("type"), args, kwargs);
        made.get<Class>().metaclass = type;
        if (Value* init = type->find("__init__"); init && init->as<Function>())
            call(bound(*init, made, type), std::move(args), std::move(kwargs));
        return made;
    }
    if (type->isNamedTuple && !hasNew) return makeNamedTuple(*type, std::move(args), std::move(kwargs));
    if (type->isProtocol) raise("TypeError", "Protocols cannot be instantiated");
    if (!type->abstract.empty()) {
        std::string names;
        for (const std::string& name : type->abstract) names += (names.empty() ? "" : ", ") + name;
        raise("TypeError", "Can't instantiate abstract class " + type->name + " with abstract method" +
                               (type->abstract.size() > 1 ? "s " : " ") + names);
    }
    if (hasNew) {
        const Value function = own->as<Wrapper>() ? own->as<Wrapper>()->function : *own;
        Values all{Value(type)};
        all.insert(all.end(), args.begin(), args.end());
        const Value made = call(function, std::move(all), kwargs);
        auto* instance = made.as<Instance>();
        if (instance && instance->type->derivesFrom(type) && !type->isNamedTuple)
            initialise(*instance, *instance->type, std::move(args), std::move(kwargs));
        return made;
    }
    Instance* self = bare(*type);
    initialise(*self, *type, std::move(args), std::move(kwargs));
    return self;
}

namespace {
/// Whether objects of a built-in type get their value from `__new__`; others get it from `__init__`.
bool isFixed(const Class& type) { return type.name != "dict" && type.name != "list" && type.name != "set"; }
} // namespace

/// Refuses objects of classes of the source that derive from Tensor or Parameter, because Lancet's tensors have no
/// class. Lancet's own classes below `torch.` are not tensors here.
void Instances::requireNoTensor(const Class& type) {
    if ((type.file && type.file->name.starts_with("torch.")) || type.members.find("__lancet_call__")) return;
    for (const char* name : {"Parameter", "Tensor"})
        if (type.derivesFrom(builtinClass(name)))
            throw CannotFollow(Message("trace.tensor_class", {{"type", type.name}, {"base", name}}));
}

Value Instances::newObject(const Values& args, const Keywords& kwargs) {
    auto* type = args.empty() ? nullptr : args[0].as<Class>();
    if (!type) raise("TypeError", "object.__new__(X): X is not a type object");
    requireNoTensor(*type);
    const Values rest(args.begin() + 1, args.end());
    if (type->isNamedTuple) return makeNamedTuple(*type, rest, kwargs);
    if (const Value* make = type->members.find("__lancet_call__")) return call(*make, rest, kwargs);
    if ((!rest.empty() || !kwargs.empty()) && heldBy(*type).empty() && !type->isException) {
        if (type->find("__new__"))
            raise("TypeError", "object.__new__() takes exactly one argument (the type to instantiate)");
        if (!type->find("__init__")) raise("TypeError", type->name + "() takes no arguments");
    }
    Instance* self = bare(*type);
    for (Class* held : heldBy(*type))
        if (!self->payload.isSet() && held->name != "property")
            self->payload = isFixed(*held) ? call(held, rest, kwargs) : call(held, {});
    return self;
}

void Instances::nameClass(Module& module, const Class& type) {
    module.className = type.name;
    module.classModule = type.file ? type.file->name : "";
    if (!type.torchPath.empty()) module.classModule = type.torchPath.substr(0, type.torchPath.rfind('.'));
}

/// An instance whose `__init__` has not run: `object.__new__`.
Instance* Instances::bare(Class& type) {
    Instance* self = heap().make<Instance>();
    self->type = &type;
    requireNoTensor(type);
    if (type.lostDecorator) throw CannotFollow(*type.lostDecorator);
    if (type.unknownBase) throw CannotFollow(unknownImport(*type.unknownBase));
    if (type.find("__del__")) throw CannotFollow(Message("trace.not_computed", {{"function", type.name + ".__del__"}}));
    if (!type.isModule) return self;
    self->module = std::make_shared<Module>();
    nameClass(*self->module, type);
    m_in.modules().instances().set(self->module.get(), self);
    m_in.modules().all().push_back(self);
    return self;
}

/// The built-in types that a class derives from and whose value its instances hold.
const std::vector<Class*>& Instances::heldBy(Class& type) {
    if (type.held) return *type.held;
    type.held.emplace();
    for (const char* name : {"dict", "list", "str", "int", "float", "set", "tuple", "property"})
        if (Class* each = builtinClass(name); type.derivesFrom(each)) type.held->push_back(each);
    return *type.held;
}

void Instances::initialise(Instance& self, Class& type, Values args, Keywords kwargs) {
    Value* init = type.find("__init__");
    const auto* written = init ? init->as<Function>() : nullptr;
    self.awaitsInit = type.isModule && written && !written->file->path.empty();
    for (Class* each : heldBy(type)) {
        const bool own = init && init->as<Function>();
        const bool wantsArgs = each == builtinClass("property");
        if (isFixed(*each) && self.payload.isSet()) break; // by its own `__new__`
        if (own && isFixed(*each) && !wantsArgs)
            self.payload = call(each, Values(args.begin(), args.begin() + (args.empty() ? 0 : 1)));
        else self.payload = own && !wantsArgs ? call(each, {}) : call(each, args, kwargs);
        if (auto* dict = self.payload.as<Dict>();
            dict && !own && type.derivesFrom(builtinClass("defaultdict")) && !args.empty())
            dict->factory = args[0];
        if (!own) return;
    }
    if (self.payload.isSet() && !init) return;
    if (type.isException) self.attributes.set("args", tuple(args));
    if (type.isException && type.derivesFrom(builtinClass("StopIteration")))
        self.attributes.set("value", args.empty() ? Value::none() : args[0]);
    if (init) {
        const Value made = call(bound(*init, &self, &type), std::move(args), std::move(kwargs));
        if (init->as<Function>() && !made.isNone() && !made.as<Opaque>())
            raise("TypeError", "__init__() should return None, not '" + typeName(made) + "'");
    } else if (const Value* make = type.find("__new__"); make && (make->as<Function>() || make->as<Wrapper>())) {
        return; // which takes the arguments
    } else if (!type.isException && (!args.empty() || !kwargs.empty())) {
        raise("TypeError", type.name + "() takes no arguments");
    }
}

void Instances::nameFields(Class& type) {
    Values names;
    for (const std::string& field : type.fields) names.push_back(text(field));
    type.members.set("_fields", tuple(names));
    type.members.set("__match_args__", tuple(std::move(names)));
    Dict* defaults = heap().make<Dict>();
    for (const std::string& field : type.fields)
        if (const Value* otherwise = type.find(field)) defaults->set(text(field), *otherwise);
    type.members.set("_field_defaults", defaults);
}

Value Instances::makeNamedTuple(Class& type, Values args, Keywords kwargs) {
    Instance* self = heap().make<Instance>();
    self->type = &type;
    Values items;
    for (const auto& [key, given] : kwargs)
        if (std::find(type.fields.begin(), type.fields.end(), key) == type.fields.end())
            raise("TypeError", type.name + ".__new__() got an unexpected keyword argument '" + key + "'");
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
        Value value = i < args.size() ? args[i] : Value();
        for (const auto& [key, given] : kwargs) {
            if (key != type.fields[i]) continue;
            if (value.isSet())
                raise("TypeError", type.name + ".__new__() got multiple values for argument '" + key + "'");
            value = given;
        }
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

Value Instances::specialMethod(const Value& object, std::string_view name) {
    const auto* instance = object.as<Instance>();
    const auto* type = object.as<Class>(); // has what its metaclass says
    Class* const of = instance ? instance->type : type ? type->metaclass : nullptr;
    Value* member = of ? of->find(name) : nullptr;
    return member && !member->isNone() ? bound(*member, object, of) : Value();
}

} // namespace fx::python
