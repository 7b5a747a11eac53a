// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes of classes, of `super()`, and what every object has.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

namespace {
/// The module of a class that no text of the library makes.
std::string builtinModule(const Class& type) {
    static constexpr std::pair<std::string_view, std::string_view> kModules[] = {
        {"TraceError", "torch.fx.proxy"},    {"Tensor", "torch"},
        {"Parameter", "torch.nn.parameter"}, {"OrderedDict", "collections"},
        {"defaultdict", "collections"},
    };
    for (const auto& [name, module] : kModules)
        if (type.name == name) return std::string(module);
    return "builtins";
}
} // namespace

namespace {
/// What the classes Tensor and Proxy have beside what Lancet's own text says. Throws CannotFollow for members of
/// Tensor.
Value tensorMember(Interpreter& in, const Class& type, std::string_view name) {
    const bool isOwn = !in.stack().frame || in.stack().frame->file->path.empty();
    if (isOwn || name == "__abstractmethods__" || (type.file && !type.file->path.empty())) return {};
    const Message unknown("trace.not_computed", {{"function", type.name + "." + std::string(name)}});
    if (&type == in.builtinClass("Tensor") || &type == in.builtinClass("Parameter")) throw trace::CannotFollow(unknown);
    const bool isProxyClass =
        type.file && type.file->name == "torch.fx" && (type.name == "Proxy" || type.name == "Attribute");
    if (!isProxyClass || !in.attributes().proxyMember({}, name).isSet()) return {};
    return in.native(std::string(name), [unknown, name = std::string(name)](Interpreter& own, Values& args,
                                                                            Keywords& kwargs) {
        const Value method = args.empty() || !isProxy(args[0]) ? Value() : own.attributes().proxyMember(args[0], name);
        if (!method.isSet()) throw trace::CannotFollow(unknown);
        return own.call(method, Values(args.begin() + 1, args.end()), kwargs);
    });
}
} // namespace

Value Attributes::classAttribute(Class& type, std::string_view name) {
    if (name == "__name__") return text(type.name);
    if (name == "__qualname__") return text(type.pathInFile());
    if (name == "__mro__") return tuple(Values(type.order.begin(), type.order.end()));
    if (name == "__base__") return type.bases.empty() ? Value::none() : Value(type.bases.front());
    if (name == "__bases__") return tuple(Values(type.bases.begin(), type.bases.end()));
    if (name == "__module__" && type.members.find(name)) return *type.members.find(name);
    if (name == "__module__")
        return text(!type.torchPath.empty() ? type.torchPath.substr(0, type.torchPath.rfind('.'))
                    : type.file             ? type.file->name
                                            : builtinModule(type));
    if (type.isEnum && name == "_value2member_map_") {
        Dict* members = heap().make<Dict>();
        type.membersByValue.forEach([&](const Value& key, const Value& member) { members->set(key, member); });
        return members;
    }
    if (name == "__members__" || name == "__dict__" || (type.isEnum && name == "_member_map_")) {
        Dict* members = heap().make<Dict>();
        for (const auto& [key, value] : type.members.items())
            if (name == "__dict__" || (value.as<Instance>() && value.get<Instance>().type == &type))
                members->set(text(key), value);
        return members;
    }
    if (name == "__abstractmethods__" && type.checksAbstract) {
        Set* names = heap().make<Set>();
        for (const std::string& each : type.abstract) names->add(text(each));
        names->isFrozen = true;
        return names;
    }
    if (name == "__doc__") {
        const Value* own = type.members.find(name);
        return own ? *own : Value::none();
    }
    if (Value* member = type.find(name)) return bound(*member, {}, &type);
    if (type.metaclass && !name.starts_with("__"))
        if (Value* member = type.metaclass->find(name)) return bound(*member, &type, type.metaclass);
    if (type.derivesFrom(builtinClass("type")))
        if (const Value ofType = m_in.classes().superOfClass(type, name); ofType.isSet()) return ofType;
    if (name == "__annotations__") {
        if (type.unknownBase) requireKnown(type.unknownBase); // whose metaclass may change them
        Dict* dict = heap().make<Dict>();
        const bool isText =
            !stack().frame || stack().frame->file->path.empty() || !type.file || type.file->hasTextAnnotations;
        for (const auto& [field, kind] : type.annotated)
            dict->set(text(field), isText ? text(kind) : m_in.library().evaluatedText(kind, *type.file));
        return dict;
    }
    if (!type.file && (type.torchPath.empty() || &type == builtinClass("__Size__"))) {
        if (const Value method = libraryMethod(&type, name); method.isSet()) return method;
        if (const Value method = unboundMethod(type, name); method.isSet()) return method;
    }
    if (name == "register" && type.find("__accepts__"))
        return native("register", [&type](Interpreter& in, Values& args, Keywords&) {
            return in.call(*in.builtin("__register__"), {&type, args.at(0)});
        });
    if (name == "__subclasses__" && type.file && !type.file->path.empty())
        return native("__subclasses__", [&type](Interpreter& in, Values&, Keywords&) -> Value {
            in.imports().runImported();
            return in.listOf(Values(type.derived.begin(), type.derived.end()));
        });
    const Value found = objectMember({}, type, name);
    if (found.isSet()) return found;
    if (Value* dynamic = type.metaclass ? type.metaclass->find("__getattr__") : nullptr)
        return call(bound(*dynamic, &type, type.metaclass), {text(std::string(name))});
    for (Class* each : type.order) // what `__slots__` names has a descriptor
        if (const Value* slots = each->members.find("__slots__"); slots && itemsOf(*slots))
            for (const Value& slot : *itemsOf(*slots))
                if (slot.as<Str>() && slot.get<Str>().text == name)
                    throw trace::CannotFollow(
                        Message("trace.not_computed", {{"function", type.name + "." + std::string(name)}}));
    if (type.unknownBase) requireKnown(type.unknownBase);
    if (const Value member = tensorMember(m_in, type, name); member.isSet()) return member;
    requireMissing(&type, name);
    if (name != "__abstractmethods__") requireMissing(builtinClass("type"), name);
    return found;
}

/// `dict.__getitem__`, `str.strip` and such, called with the object; unset where objects of the class have none.
Value Attributes::unboundMethod(const Class& type, std::string_view name) {
    static constexpr std::string_view kTypes[] = {"str",   "list",      "dict",        "set",
                                                  "tuple", "frozenset", "OrderedDict", "defaultdict"};
    const bool isKnown = std::find(std::begin(kTypes), std::end(kTypes), type.name) != std::end(kTypes);
    if (!isKnown || name == "__init__" || name == "__new__") return {};
    const Value example = call(*m_in.builtins().names().find(type.name), {});
    if (!m_in.builtinMethods().builtinMethod(example, name).isSet()) return {};
    return native(std::string(name), [&type, name = std::string(name)](Interpreter& in, Values& args,
                                                                       Keywords& kwargs) {
        const bool isSlot = name == "__len__" || name == "__iter__" || name == "__setitem__" || name == "__delitem__" ||
                            name == "__add__" || name == "__mul__"; // CPython has other words for these
        if (args.empty())
            in.raise("TypeError", isSlot ? "descriptor '" + name + "' of '" + type.name + "' object needs an argument"
                                         : "unbound method " + type.name + "." + name + "() needs an argument");
        const Value method = in.isInstance(args[0], const_cast<Class*>(&type))
                                 ? in.builtinMethods().builtinMethod(plain(args[0]), name)
                                 : Value();
        if (!method.isSet())
            in.raise("TypeError", isSlot ? "descriptor '" + name + "' requires a '" + type.name +
                                               "' object but received a '" + in.typeName(args[0]) + "'"
                                         : "descriptor '" + name + "' for '" + type.name +
                                               "' objects doesn't apply to a '" + in.typeName(args[0]) + "' object");
        return in.call(method, Values(args.begin() + 1, args.end()), kwargs);
    });
}

void Attributes::fillPayload(Instance& instance, const Values& args, const Keywords& kwargs) {
    Values rest(args.begin() + 1, args.end());
    if (auto* dict = instance.payload.as<Dict>()) {
        if (!rest.empty() && instance.type->derivesFrom(builtinClass("defaultdict"))) {
            dict->factory = rest.front();
            rest.erase(rest.begin());
        }
        call(m_in.builtinMethods().dictMethod(*dict, "update"), std::move(rest), kwargs);
    } else if (auto* items = instance.payload.as<List>()) {
        items->items.clear();
        if (!rest.empty()) extend(*items, rest.front());
    } else if (auto* set = instance.payload.as<Set>()) {
        set->clear();
        if (!rest.empty()) m_in.builtinMethods().addTo(*set, rest.front());
    }
}

/// What `object` and torch.nn.Module have beside what Lancet's own text says.
Value Attributes::objectMember(const Value& self, Class& type, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [self, body](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            if (self.isSet()) args.insert(args.begin(), self);
            return body(in, args, kwargs);
        });
    };
    if (name == "__setattr__")
        // `object.__setattr__` goes past what torch.nn.Module registers.
        return method([isObjects = &type == builtinClass("object")](Interpreter& in, Values& args, Keywords&) {
            auto* into = args.at(0).as<Instance>();
            if (into && into->module && !isObjects)
                in.modules().setModuleAttribute(*into, in.str(args.at(1)), args.at(2));
            else if (auto* linked = into ? into->attributes.find("__dict__") : nullptr; linked && linked->as<Dict>())
                linked->get<Dict>().set(args.at(1), args.at(2));
            else if (into) into->attributes.set(in.str(args.at(1)), args.at(2));
            else if (auto* made = args[0].as<Class>()) made->members.set(in.str(args.at(1)), args.at(2));
            else in.setAttribute(args.at(0), in.str(args.at(1)), args.at(2));
            return Value::none();
        });
    if (name == "__getattribute__")
        return method([](Interpreter& in, Values& args, Keywords&) {
            const std::string wanted = in.str(args.at(1));
            auto* instance = args.at(0).as<Instance>();
            const Value found = instance ? in.attributes().instanceAttribute(*instance, wanted, args[0], false)
                                         : in.attribute(args[0], wanted);
            if (!found.isSet())
                in.raise("AttributeError", "'" + in.typeName(args[0]) + "' object has no attribute '" + wanted + "'");
            return found;
        });
    if (name == "__getattr__" && type.isModule) // torch.nn.Module's: of parameters, buffers and children
        return method([](Interpreter& in, Values& args, Keywords&) {
            auto* instance = args.at(0).as<Instance>();
            const std::string wanted = in.str(args.at(1));
            Value found = instance && instance->module ? in.modules().moduleAttribute(*instance, wanted) : Value();
            if (const Value* child = instance && in.traces() ? instance->attributes.find(wanted) : nullptr;
                child && child->as<Instance>() && child->as<Instance>()->module)
                found = *child; // of a module that was made while the trace goes on
            if (!found.isSet())
                in.raise("AttributeError", "'" + in.typeName(args[0]) + "' object has no attribute '" + wanted + "'");
            return found;
        });
    if (name == "__delattr__")
        return method([](Interpreter& in, Values& args, Keywords&) {
            in.attributeChanges().eraseAttribute(args.at(0), in.str(args.at(1)));
            return Value::none();
        });
    if (name == "__new__")
        return native("__new__", [](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            return in.instances().newObject(args, kwargs);
        });
    if (name == "__init__")
        return method([](Interpreter& in, Values& args, Keywords& kwargs) {
            auto* instance = args.empty() ? nullptr : args[0].as<Instance>();
            if (instance && instance->payload.isSet()) in.attributes().fillPayload(*instance, args, kwargs);
            return Value::none();
        });
    if (name == "__init_subclass__") return method([](Interpreter&, Values&, Keywords&) { return Value::none(); });
    if (name == "__repr__" || name == "__str__")
        return method([](Interpreter& in, Values& args, Keywords&) { return in.text(in.repr(args.at(0))); });
    if (name == "__eq__")
        return method([](Interpreter&, Values& args, Keywords&) { return Value(equalValues(args.at(0), args.at(1))); });
    if (name == "__hash__")
        return method(
            [](Interpreter& in, Values& args, Keywords& kwargs) { return in.call(*in.builtin("hash"), args, kwargs); });
    return {};
}

Value Attributes::superAttribute(Super& super, std::string_view name) {
    const auto* instance = super.self.as<Instance>();
    Class* type = instance ? instance->type : super.self.as<Class>();
    if (!type) return {};
    const auto after = std::find(type->order.begin(), type->order.end(), super.after);
    for (auto each = after == type->order.end() ? after : after + 1; each != type->order.end(); ++each)
        if (Value* member = (*each)->members.find(name)) return bound(*member, instance ? super.self : Value(), type);
    if (type->unknownBase) requireKnown(type->unknownBase);
    if (instance && instance->module && name == "__call__") // torch.fx's, whatever the classes say
        return native("__call__", [self = super.self](Interpreter& in, Values& args, Keywords& kwargs) {
            return in.modules().callModule(*self.as<Instance>(), args, kwargs);
        });
    if (instance && instance->module)
        if (const Value found = m_in.modules().moduleAttribute(*super.self.as<Instance>(), name); found.isSet())
            return found;
    if (instance && instance->payload.isSet())
        if (const Value found = builtinAttribute(instance->payload, name); found.isSet()) return found;
    if (!instance)
        if (const Value ofType = m_in.classes().superOfClass(*type, name); ofType.isSet()) return ofType;
    const bool isOfMetaclass = !instance && type->metaclass && type->metaclass->derivesFrom(super.after);
    const Value found =
        objectMember(instance || (isOfMetaclass && name == "__setattr__") ? super.self : Value(), *type, name);
    if (!found.isSet() && instance) requireMissing(type, name);
    return found;
}

} // namespace fx::python
