// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes: where Python looks for them, in its order.
#include "core/ops/catalogue.h"
#include "core/python/execution/missing_names.h"
#include "core/python/interpreter.h"

namespace fx::python {

Value Interpreter::attribute(const Value& object, std::string_view name) {
    const Value found = findAttribute(object, name);
    if (found.isSet()) return found;
    if (const auto* instance = object.as<Instance>())
        raise("AttributeError", "'" + instance->type->name + "' object has no attribute '" + std::string(name) + "'");
    if (const auto* type = object.as<Class>())
        raise("AttributeError", "type object '" + type->name + "' has no attribute '" + std::string(name) + "'");
    if (const auto* space = object.as<Space>()) {
        const bool isOfOperators = space->path.starts_with("torch.ops.");
        raiseMissing(*this, "AttributeError", object, name,
                     (isOfOperators ? "'_OpNamespace' '" + space->path.substr(10) + "' object"
                                    : "module '" + space->path + "'") +
                         " has no attribute '" + std::string(name) + "'");
    }
    if (const auto* file = object.as<SourceFile>())
        raise("AttributeError", "module '" + file->name + "' has no attribute '" + std::string(name) + "'");
    raise("AttributeError", "'" + str(findAttribute(typeOf(object), "__name__")) + "' object has no attribute '" +
                                std::string(name) + "'");
}

Value Interpreter::softAttribute(const Value& object, std::string_view name) {
    Frame* const frame = m_frame;
    try {
        return findAttribute(object, name);
    } catch (const Raised& raised) {
        m_frame = frame;
        if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
    }
    failedIn.clear();
    return {};
}

/// What a tensor, a proxy or a function of torch has.
Value Interpreter::tracedAttribute(const Traced& traced, const Value& object, std::string_view name) {
    if (traced.attributes)
        if (const Value* own = traced.attributes->find(name)) return *own;
    if (shapesConstant)
        if (const Value known = constantShape(traced.value, name); known.isSet()) return known;
    if (proxyAttribute && traced.value.isProxy())
        if (const Value own = proxyAttribute(traced.value, name); own.isSet()) return own;
    if (tensorIn(object) && name == "data") // another tensor to a trace, with the same memory
        return m_traces ? call(fromTrace(m_tracer->attribute(traced.value, "detach")), {}) : object;
    if (tensorIn(object) && machine && !m_traces && (name == "real" || name == "imag"))
        return call(resolve("torch." + std::string(name)), {object});
    if (tensorIn(object))
        if (const Value own = tensorMethod(object, name); own.isSet()) return own;
    if (tensorIn(object) && name == "requires_grad") return {tensorIn(object)->tensor->requiresGrad};
    if (traced.value.as<trace::FunctionValue>() && (name == "__name__" || name == "__qualname__"))
        return text(traced.value.as<trace::FunctionValue>()->callable->name);
    if (const auto* function = traced.value.as<trace::FunctionValue>()) {
        if (name == "__module__") return text(function->callable->module);
        if (const Value own = operatorAttribute(*function->callable, name); own.isSet()) return own;
        if (name != "_schema") return resolve(function->path + "." + std::string(name));
        if (function->callable->kind != Callable::Kind::OpOverload) return {};
        return call(*run(*ownFile("torch")).names.find("_schema_of"), {text(function->callable->qualifiedName)});
    }
    return fromTrace(m_tracer->attribute(traced.value, name));
}

/// What an instance has, asked through its `__getattribute__` if it has one.
Value Interpreter::hookedAttribute(Instance& instance, std::string_view name, const Value& object) {
    Value* hook = instance.type->hasGetter ? instance.type->find("__getattribute__") : nullptr;
    if (!hook || !hook->as<Function>()) return instanceAttribute(instance, name, object);
    try {
        return call(bound(*hook, object, instance.type), {text(std::string(name))});
    } catch (const Raised& raised) {
        if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
        failedIn.clear();
        return {};
    }
}

/// A global of a file, or a module below it.
Value Interpreter::fileAttribute(SourceFile& file, std::string_view name) {
    if (name == "__name__") return text(file.name);
    Names& names = run(file).names;
    if (Value* found = names.find(name)) {
        const Value value = forced(*found);
        names.set(name, value);
        return value;
    }
    if (name == "__dict__") {
        Dict* dict = m_heap.make<Dict>();
        const auto items = names.items();
        for (const auto& [key, value] : items) dict->set(text(key), forced(value));
        return dict;
    }
    if (const Value declared = declaredName(file, std::string(name)); declared.isSet()) return declared;
    const Value part = importModule(file.name + "." + std::string(name), false);
    if (part.isSet() || !file.path.empty()) return part;
    return m_heap.make<Opaque>(file.name + "." + std::string(name)); // of Python's library
}

Value Interpreter::functionAttribute(Function& function, std::string_view name) {
    if (Value* found = function.attributes.find(name)) return *found;
    if (name == "__name__") return text(function.name);
    if (name == "__qualname__") return text(function.qualifiedName);
    if (name == "__module__") return text(function.file->name);
    if (name == "__doc__") return documentation(function);
    if (name == "__dict__") {
        Dict* dict = m_heap.make<Dict>();
        for (const auto& [key, value] : function.attributes.items()) dict->set(text(key), value);
        return dict;
    }
    if (name == "__annotations__") {
        Dict* dict = m_heap.make<Dict>();
        for (const auto& parameter : function.parameters)
            if (parameter.annotation)
                dict->set(text(std::string(parameter.name)), function.file->hasTextAnnotations
                                                                 ? text(sourceOf(*parameter.annotation, *function.file))
                                                                 : evaluate(*parameter.annotation, *function.closure));
        return dict;
    }
    if (name == "__wrapped__" && function.shown) return function.shown;
    return {};
}

Value Interpreter::propertyAttribute(const Property& property, std::string_view name) {
    if (name == "fget") return property.getter;
    if (name == "fset") return property.setter.isSet() ? property.setter : Value::none();
    if (name == "setter") {
        return native("setter", [&property](Interpreter& in, Values& args, Keywords&) -> Value {
            Property* both = in.heap().make<Property>();
            both->getter = property.getter;
            both->setter = args.at(0);
            return both;
        });
    }
    return {};
}

Value Interpreter::findAttribute(const Value& object, std::string_view name) {
    if (name == "__class__") return typeOf(object);
    if (const auto* traced = object.as<Traced>()) return tracedAttribute(*traced, object, name);
    if (auto* instance = object.as<Instance>()) return hookedAttribute(*instance, name, object);
    if (auto* type = object.as<Class>()) return classAttribute(*type, name);
    if (auto* super = object.as<Super>()) return superAttribute(*super, name);
    if (auto* space = object.as<Space>()) return spaceAttribute(*space, name);
    if (auto* file = object.as<SourceFile>()) return fileAttribute(*file, name);
    if (auto* opaque = object.as<Opaque>()) return m_heap.make<Opaque>(opaque->path + "." + std::string(name));
    if (auto* function = object.as<Function>()) return functionAttribute(*function, name);
    if (auto* method = object.as<Method>()) {
        if (name == "__self__") return method->self;
        if (name == "__func__") return method->function;
        return findAttribute(method->function, name);
    }
    if (auto* native = object.as<Native>(); native && name == "__name__") return text(native->name);
    if (auto* property = object.as<Property>()) return propertyAttribute(*property, name);
    if (auto* wrapper = object.as<Wrapper>()) return findAttribute(wrapper->function, name);
    if (const auto* dict = object.as<Dict>(); dict && dict->attributes)
        if (const Value* own = dict->attributes->find(name)) return *own;
    const Value method = builtinMethod(object, name);
    return method.isSet() ? method : libraryMethod(object, name);
}

/// A method of a built-in type that is written in Python; a class has those that are called by it.
Value Interpreter::libraryMethod(const Value& object, std::string_view name) {
    const auto* asked = object.as<Class>();
    const Value own = asked ? object : typeOf(object);
    const auto* type = own.as<Class>();
    if (!type || type->file || name.starts_with('_')) return {};
    Names& methods = run(*ownFile("_builtin_methods")).names;
    const std::string start = type->name + "_";
    if (Value* found = methods.find(start + "class_" + std::string(name))) return *found;
    Value* found = methods.find(start + std::string(name));
    if (!found || asked) return found ? *found : Value();
    return bound(*found, object, own.as<Class>());
}

/// A member of a class as seen through an instance (`self` set) or the class.
Value Interpreter::bound(const Value& member, const Value& self, Class* type) {
    if (auto* wrapper = member.as<Wrapper>()) {
        if (wrapper->kind == Wrapper::Kind::Static) return wrapper->function;
        Method* method = m_heap.make<Method>();
        method->function = wrapper->function;
        method->self = wrapper->kind == Wrapper::Kind::Class ? Value(type) : self;
        if (wrapper->kind == Wrapper::Kind::Class) return method;
        return self.isSet() ? call(method, {}) : member;
    }
    if (auto* descriptor = member.as<Instance>(); descriptor && !descriptor->module) {
        Value* get = descriptor->type->find("__get__");
        if (get) return call(*get, {member, self.isSet() ? self : Value::none(), type});
        if (descriptor->payload.as<Property>()) return bound(descriptor->payload, self, type);
    }
    if (auto* property = member.as<Property>()) return self.isSet() ? call(property->getter, {self}) : member;
    if (!self.isSet() || (!member.as<Function>() && !member.as<Native>())) return member;
    Method* method = m_heap.make<Method>();
    method->self = self;
    method->function = member;
    return method;
}

Value Interpreter::instanceAttribute(Instance& instance, std::string_view name, const Value& self) {
    Value* member = instance.type->find(name);
    const auto* descriptor = member ? member->as<Instance>() : nullptr;
    if (member && (member->as<Property>() || (descriptor && descriptor->payload.as<Property>())))
        return bound(*member, self, instance.type);
    if (Value* own = instance.attributes.find(name)) return *own;
    if (name == "__module__") return classAttribute(*instance.type, name);
    if (instance.module)
        for (const auto& [key, value] : instance.module->attributes)
            if (key == name) {
                const auto* tensor = std::get_if<TensorPtr>(&value);
                if (tensor && m_traces)
                    return fromTrace(m_tracer->attribute({trace::ModuleValue{instance.module.get()}}, name));
                return tensor ? traced({trace::TensorValue{*tensor}}) : fromTrace({std::get<Argument>(value)});
            }
    if (member) {
        const Value value = bound(*member, self, instance.type);
        if (auto* wrapper = member->as<Wrapper>(); wrapper && wrapper->kind == Wrapper::Kind::Cached)
            instance.attributes.set(name, value);
        return value;
    }
    if (instance.module)
        if (const Value found = moduleAttribute(instance, name); found.isSet()) return found;
    if (name == "__module__" || name == "__doc__") return classAttribute(*instance.type, name);
    if (instance.type->isException && (name == "__cause__" || name == "__context__")) return Value::none();
    if (name == "__dict__") {
        Dict* dict = m_heap.make<Dict>();
        for (const auto& [key, value] : instance.attributes.items()) dict->set(text(key), value);
        if (instance.module) {
            for (const char* part : {"_parameters", "_buffers", "_modules"})
                dict->set(text(part), moduleAttribute(instance, part));
            dict->set(text("training"), {instance.module->training});
        }
        dict->changed = [&instance](const Value& key, const Value* value) { // what Python hands out is no copy
            const auto* attribute = key.as<Str>();
            if (attribute && value) instance.attributes.set(attribute->text, *value);
            else if (attribute) instance.attributes.erase(attribute->text);
        };
        return dict;
    }
    if (instance.payload.isSet()) // what dict has itself; `__getattr__` is asked for the rest
        if (const Value held = findAttribute(instance.payload, name); held.isSet()) return held;
    if (Value* dynamic = instance.type->find("__getattr__"); dynamic && name != "__getattr__") {
        try {
            return call(bound(*dynamic, self, instance.type), {text(std::string(name))});
        } catch (const Raised& raised) {
            if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
            failedIn.clear();
            return {};
        }
    }
    return name.starts_with("__") ? objectMember(self, *instance.type, name) : Value();
}

} // namespace fx::python
