// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes: where Python looks for them, in its order.
#include "core/ops/catalogue.h"
#include "core/python/attributes/python_names.h"
#include "core/python/execution/missing_names.h"
#include "core/python/python_interpreter.h"

namespace fx::python {

namespace {
/// Whether it is an AttributeError, which the tracer raises in C++.
bool isAttributeError(const trace::PythonError& error) {
    return error.type().empty() ? std::string_view(error.what()).starts_with("AttributeError")
                                : error.type() == "AttributeError";
}
} // namespace

Value Attributes::attribute(const Value& object, std::string_view name) {
    const Value found = findAttribute(object, name);
    if (found.isSet()) return found;
    if (object.as<Instance>())
        raise("AttributeError", "'" + typeName(object) + "' object has no attribute '" + std::string(name) + "'");
    if (const auto* type = object.as<Class>())
        raise("AttributeError", "type object '" + type->name + "' has no attribute '" + std::string(name) + "'");
    if (const auto* space = object.as<Space>()) {
        const bool isOfOperators = space->path.starts_with("torch.ops.");
        raiseMissing(m_in, "AttributeError", object, name,
                     (isOfOperators ? "'_OpNamespace' '" + space->path.substr(10) + "' object"
                                    : "module '" + space->path + "'") +
                         " has no attribute '" + std::string(name) + "'");
    }
    if (const auto* file = object.as<SourceFile>())
        raise("AttributeError", "module '" + file->name + "' has no attribute '" + std::string(name) + "'");
    raise("AttributeError", "'" + typeName(object) + "' object has no attribute '" + std::string(name) + "'");
}

Value Attributes::softAttribute(const Value& object, std::string_view name) {
    Frame* const frame = stack().frame;
    try {
        return findAttribute(object, name);
    } catch (const Raised& raised) {
        stack().frame = frame;
        if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
    } catch (const trace::PythonError& error) {
        stack().frame = frame;
        if (!isAttributeError(error)) throw;
    }
    stack().forgetFailure();
    return {};
}

/// What a tensor that is no proxy has: methods and data are those of the tracer, and all of them are dense, on the CPU,
/// and without gradients. Throws CannotFollow for what depends on where it came from.
Value Attributes::tensorAttribute(const TensorRef& tensor, const Value& object, std::string_view name) {
    static constexpr std::string_view kNone[] = {"grad", "_grad", "_backward_hooks", "_post_accumulate_grad_hooks",
                                                 "name"};
    static constexpr std::string_view kFalse[] = {
        "is_ipu",        "is_maia",   "is_mkldnn", "is_mps", "is_mtia",      "is_nested",
        "is_sparse_csr", "is_vulkan", "is_xla",    "is_xpu", "retains_grad", "_has_symbolic_sizes_strides"};
    static constexpr std::string_view kOfPast[] = {"_base", "_version", "output_nr", "_python_dispatch"};
    const auto isOne = [&](const auto& names) {
        return std::find(std::begin(names), std::end(names), name) != std::end(names);
    };
    const bool isGradFn = name == "grad_fn" || name == "_grad_fn", isLeaf = m_in.gradients.isLeaf(tensor);
    if (isOne(kNone) || (isGradFn && isLeaf)) return Value::none();
    if (isOne(kFalse)) return {false};
    if (name == "is_leaf") return {isLeaf};
    if (isOne(kOfPast) || isGradFn)
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", "Tensor." + std::string(name)}}));
    if (name == "requires_grad") return {tensor.requiresGrad};
    const bool isKnown = name == "data" || name == "shape" || name.starts_with("__") ||
                         ops::findFunction("torch.Tensor." + std::string(name)).has_value();
    return isKnown ? fromTrace(tracer().attribute(object.get<Traced>().value, name)) : Value();
}

/// What a tensor, a proxy or a function of torch has.
Value Attributes::tracedAttribute(const Traced& traced, const Value& object, std::string_view name) {
    const auto* tensor = tensorIn(object);
    if (traced.attributes)
        if (const Value* own = traced.attributes->find(name)) return *own;
    if (tensor)
        if (const Value mark = m_in.attributeChanges().markOf(tensor->object(), name); mark.isSet()) return mark;
    if (m_in.shapesConstant)
        if (const Value known = m_in.modules().constantShape(traced.value, name); known.isSet()) return known;
    if (m_in.proxyAttribute && traced.value.isProxy())
        if (const Value own = m_in.proxyAttribute(traced.value, name); own.isSet()) return own;
    if (traced.value.isProxy())
        if (const Value own = proxyMember(object, name); own.isSet()) return own;
    if (tensor) m_in.tensors().checkData(*tensor);
    if (tensor && name == "data") // another tensor with the same memory
        return traces() ? call(fromTrace(tracer().attribute(traced.value, "detach")), {})
                        : this->traced({m_in.tensors().dataOf(*tensor)});
    if (tensor && m_in.machine && !traces() && (name == "real" || name == "imag"))
        return call(resolve("torch." + std::string(name)), {object});
    if (tensor)
        if (const Value own = m_in.tensors().tensorMethod(object, name); own.isSet()) return own;
    if (tensor) return tensorAttribute(tensor->object(), object, name);
    if (traced.value.as<trace::FunctionValue>() && (name == "__name__" || name == "__qualname__"))
        return text(traced.value.as<trace::FunctionValue>()->callable->name);
    if (const auto* function = traced.value.as<trace::FunctionValue>()) {
        if (name == "__module__") return text(function->callable->module);
        if (const Value own = operatorAttribute(*function->callable, name); own.isSet()) return own;
        if (name != "_schema") return resolve(function->path + "." + std::string(name));
        if (function->callable->kind != Callable::Kind::OpOverload) return {};
        return call(*run(*ownFile("torch")).names.find("_schema_of"), {text(function->callable->qualifiedName)});
    }
    return fromTrace(tracer().attribute(traced.value, name));
}

/// What an instance has, asked through its `__getattribute__` if it has one.
Value Attributes::hookedAttribute(Instance& instance, std::string_view name, const Value& object) {
    Value* hook = instance.type->hasGetter ? instance.type->find("__getattribute__") : nullptr;
    if (!hook || !hook->as<Function>()) return instanceAttribute(instance, name, object);
    try {
        return call(bound(*hook, object, instance.type), {text(std::string(name))});
    } catch (const Raised& raised) {
        if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
    } catch (const trace::PythonError& error) {
        if (!isAttributeError(error)) throw;
    }
    stack().forgetFailure();
    return attributeByGetattr(instance, name, object);
}

/// Asks `__getattr__` of the class; unset if that raises AttributeError.
Value Attributes::attributeByGetattr(Instance& instance, std::string_view name, const Value& self) {
    Value* dynamic = name == "__getattr__" ? nullptr : instance.type->find("__getattr__");
    if (!dynamic) return {};
    try {
        return call(bound(*dynamic, self, instance.type), {text(std::string(name))});
    } catch (const Raised& raised) {
        if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
    } catch (const trace::PythonError& error) {
        if (!isAttributeError(error)) throw;
    }
    stack().forgetFailure();
    return {};
}

/// A global of a file, or a module below it.
Value Attributes::fileAttribute(SourceFile& file, std::string_view name) {
    if (name == "__name__") return text(file.name);
    Names& names = run(file).names;
    if (Value* found = names.find(name)) {
        const Value value = forced(*found);
        names.set(name, value);
        return value;
    }
    if (name == "__dict__") {
        Dict* dict = heap().make<Dict>();
        const auto items = names.items();
        for (const auto& [key, value] : items) dict->set(text(key), forced(value));
        m_in.attributeChanges().passOn(*dict, file);
        return dict;
    }
    if (const Value declared = m_in.imports().declaredName(file, std::string(name)); declared.isSet()) return declared;
    const Value part = importModule(file.name + "." + std::string(name), false);
    if (part.isSet() || !file.path.empty()) return part;
    return heap().make<Opaque>(file.name + "." + std::string(name)); // of Python's library
}

Value Attributes::functionAttribute(Function& function, std::string_view name) {
    if (name == "__dict__") return m_in.attributeChanges().dictOf(function);
    if (Value* found = function.attributes.find(name)) return *found;
    if (name == "__name__") return text(function.name);
    if (name == "__qualname__") return text(function.qualifiedName);
    if (name == "__module__" || name == "__annotations__")
        if (function.shown) return functionAttribute(*function.shown, name);
    if (name == "__module__") return text(function.file->name);
    if (name == "__doc__") return m_in.functions().documentation(function);
    if (name == "__annotations__") {
        Dict* dict = heap().make<Dict>();
        const auto add = [&](std::string_view of, const py::Expr* annotation) {
            if (!annotation) return;
            dict->set(text(std::string(of)), function.file->hasTextAnnotations
                                                 ? text(Imports::sourceOf(*annotation, *function.file))
                                                 : m_in.expressions().evaluate(*annotation, *function.closure));
        };
        for (const auto& parameter : function.parameters) add(parameter.name, parameter.annotation);
        if (!function.lambda) add("return", (*function.file->tree)[function.head].annotation);
        function.attributes.set(name, dict);
        return dict;
    }
    if (name == "__wrapped__" && function.shown) return function.shown;
    if (name == "__call__") return &function;
    requireMissing(builtinClass("function"), name);
    return {};
}

Value Attributes::propertyAttribute(const Property& property, std::string_view name) {
    if (name == "fget") return property.getter;
    if (name == "fset") return property.setter.isSet() ? property.setter : Value::none();
    if (name == "__doc__")
        return property.document.isSet()  ? property.document
               : property.getter.isNone() ? Value::none()
                                          : attribute(property.getter, name);
    if (name == "__isabstractmethod__") {
        const auto isAbstract = [&](const Value& part) {
            const Value mark = part.isSet() && !part.isNone() ? softAttribute(part, name) : Value();
            return mark.isSet() && truth(mark);
        };
        return {isAbstract(property.getter) || isAbstract(property.setter) || isAbstract(property.deleter)};
    }
    if (name == "fdel") return property.deleter.isSet() ? property.deleter : Value::none();
    static constexpr std::pair<std::string_view, Value Property::*> kParts[] = {
        {"getter", &Property::getter}, {"setter", &Property::setter}, {"deleter", &Property::deleter}};
    for (const auto& [word, part] : kParts)
        if (word == name)
            return native(std::string(name),
                          [&property, part = part](Interpreter& in, Values& args, Keywords&) -> Value {
                              Property* both = in.heap().make<Property>();
                              *both = property;
                              both->*part = args.at(0);
                              return both;
                          });
    return {};
}

Value Attributes::findAttribute(const Value& object, std::string_view name) {
    trace::checkStack();
    const auto* shown = name == "__class__" ? object.as<Instance>() : nullptr; // its class may show another one
    if (name == "__class__" && !(shown && shown->type->find(name))) return typeOf(object);
    if (const auto* traced = object.as<Traced>()) return tracedAttribute(*traced, object, name);
    if (auto* instance = object.as<Instance>()) return hookedAttribute(*instance, name, object);
    if (auto* type = object.as<Class>()) return classAttribute(*type, name);
    if (auto* super = object.as<Super>()) return superAttribute(*super, name);
    if (auto* space = object.as<Space>()) return spaceAttribute(*space, name);
    if (auto* file = object.as<SourceFile>()) return fileAttribute(*file, name);
    if (TypeArguments::isAlias(object)) return m_in.typeArguments().attributeOf(object, name);
    if (auto* opaque = object.as<Opaque>()) return heap().make<Opaque>(*opaque, "." + std::string(name));
    if (auto* function = object.as<Function>()) return functionAttribute(*function, name);
    if (auto* method = object.as<Method>()) {
        if (name == "__self__") return method->self;
        if (name == "__func__") return method->function;
        return findAttribute(method->function, name);
    }
    if (auto* native = object.as<Native>(); native && name == "__name__") return text(native->name);
    if (auto* property = object.as<Property>()) return propertyAttribute(*property, name);
    if (auto* wrapper = object.as<Wrapper>())
        return name == "__func__" || name == "__wrapped__" ? wrapper->function : findAttribute(wrapper->function, name);
    if (const auto* dict = object.as<Dict>(); dict && dict->attributes)
        if (const Value* own = dict->attributes->find(name)) return *own;
    const Value method = builtinAttribute(object, name);
    if (!method.isSet()) requireMissing(typeOf(object), name);
    return method;
}

/// A method of a built-in type; unset for other names.
Value Attributes::builtinAttribute(const Value& object, std::string_view name) {
    const Value method = m_in.builtinMethods().builtinMethod(object, name);
    return method.isSet() ? method : libraryMethod(object, name);
}

namespace {
constexpr std::string_view kLayers = "torch.nn.modules.";
}

/// Throws CannotFollow for an attribute that objects of a built-in type, or of a class of torch.nn, have in Python.
/// Lancet's own modules, which know what there is, get no answer instead. Of Lancet's own classes that are not listed,
/// what they lack is not known.
void Attributes::requireMissing(const Value& type, std::string_view name) const {
    const auto* of = type.as<Class>();
    static constexpr std::string_view kOfGenerics[] = {"__parameters__", "__orig_bases__", "__orig_class__",
                                                       "__origin__",     "__args__",       "_is_protocol"};
    if (of && of->isGeneric && std::find(std::begin(kOfGenerics), std::end(kOfGenerics), name) != std::end(kOfGenerics))
        throw trace::CannotFollow(Message("trace.unknown_standard", {{"name", "typing.Generic." + std::string(name)}}));
    const bool isOwn = !stack().frame || !stack().frame->file || stack().frame->file->path.empty();
    if (!of || isOwn) return;
    for (const Class* each : of->order) {
        if (each->file && !each->file->path.empty()) continue; // of the program
        const bool isLayer = each->torchPath.starts_with(kLayers);
        const std::string path = (isLayer      ? std::string(kLayers)
                                  : each->file ? each->file->name + "."
                                               : "") +
                                 each->name;
        const bool isUnknown = each == of && each->file && !isListedType(path) && !name.starts_with("__");
        if (isUnknown || hasPythonAttribute(path, name))
            throw trace::CannotFollow(
                Message("trace.unknown_standard", {{"name", of->name + "." + std::string(name)}}));
    }
}

/// A method of a built-in type that is written in Python; a class has those that are called by it.
Value Attributes::libraryMethod(const Value& object, std::string_view name) {
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
Value Attributes::bound(const Value& member, const Value& self, Class* type) {
    if (auto* wrapper = member.as<Wrapper>()) {
        if (wrapper->kind == Wrapper::Kind::Static) return wrapper->function;
        Method* method = heap().make<Method>();
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
    Method* method = heap().make<Method>();
    method->self = self;
    method->function = member;
    return method;
}

Value Attributes::instanceAttribute(Instance& instance, std::string_view name, const Value& self, bool asksGetattr) {
    Value* member = instance.type->find(name);
    const auto* descriptor = member ? member->as<Instance>() : nullptr;
    if (member && (member->as<Property>() || (descriptor && descriptor->payload.as<Property>()))) {
        if (const auto* property = member->as<Property>(); property && property->getter.isNone())
            raise("AttributeError",
                  "property '" + std::string(name) + "' of '" + instance.type->pathInFile() + "' object has no getter");
        Value* dynamic = instance.type->find("__getattr__"); // gets what the property raises AttributeError for
        if (!dynamic && !instance.module) return bound(*member, self, instance.type);
        try {
            return bound(*member, self, instance.type);
        } catch (const Raised& raised) {
            if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
        } catch (const trace::PythonError& error) {
            if (!isAttributeError(error)) throw;
        }
        stack().forgetFailure();
        if (dynamic) return call(bound(*dynamic, self, instance.type), {text(std::string(name))});
        if (const Value own = m_in.modules().moduleAttribute(instance, name); own.isSet()) return own;
        raise("AttributeError",
              "'" + instance.type->name + "' object has no attribute '" + std::string(name) +
                  "'"); // of torch.nn.Module
    }
    const auto has = [&](const char* method) { return descriptor && descriptor->type->find(method) != nullptr; };
    if (has("__get__") && (has("__set__") || has("__delete__"))) return bound(*member, self, instance.type);
    if (Value* own = instance.attributes.find(name)) {
        if (auto* linked = name == "__dict__" ? own->as<Dict>() : nullptr) { // Lancet sets some attributes itself
            const auto attributes = instance.attributes.items();
            for (const auto& [key, value] : attributes)
                if (key != name && !linked->find(text(key))) linked->set(text(key), value);
            return linked;
        }
        return *own;
    }
    if (name == "__module__") return classAttribute(*instance.type, name);
    if (instance.module)
        for (const auto& [key, value] : instance.module->attributes)
            if (key == name) {
                const auto* tensor = std::get_if<TensorPtr>(&value);
                if (tensor && traces())
                    return fromTrace(tracer().attribute({trace::ModuleValue{instance.module.get()}}, name));
                return tensor ? traced({trace::TensorValue{*tensor}}) : fromTrace({std::get<Argument>(value)});
            }
    if (member) {
        const Value value = bound(*member, self, instance.type);
        if (auto* wrapper = member->as<Wrapper>(); wrapper && wrapper->kind == Wrapper::Kind::Cached)
            instance.attributes.set(name, value);
        return value;
    }
    if (instance.module)
        if (const Value found = m_in.modules().moduleAttribute(instance, name); found.isSet()) return found;
    if (name == "__module__" || name == "__doc__") return classAttribute(*instance.type, name);
    if (instance.type->isException && (name == "__cause__" || name == "__context__")) return Value::none();
    if (instance.type->isException && name == "__suppress_context__")
        return {instance.attributes.find("__cause__") != nullptr};
    if (instance.type->isException && name == "add_note")
        throw trace::CannotFollow(Message("trace.unknown_standard", {{"name", "BaseException.add_note"}}));
    if (instance.type->isException && name == "__traceback__") return heap().make<Opaque>("traceback");
    if (name == "__dict__") {
        if (m_in.attributeChanges().slotsOf(*instance.type)) return {};
        Dict* dict = heap().make<Dict>();
        const std::size_t fields = instance.type->isNamedTuple ? instance.type->fields.size() : 0; // are no attributes
        for (std::size_t i = fields; i < instance.attributes.items().size(); ++i)
            dict->set(text(instance.attributes.items()[i].first), instance.attributes.items()[i].second);
        if (instance.module) {
            for (const char* part : {"_parameters", "_buffers", "_modules"})
                dict->set(text(part), m_in.modules().moduleAttribute(instance, part));
            dict->set(text("training"), {instance.module->training});
        }
        dict->changed = [&instance](const Value& key, const Value* value) { // what Python hands out is no copy
            const auto* attribute = key.as<Str>();
            if (attribute && value) instance.attributes.set(attribute->text, *value);
            else if (attribute) instance.attributes.erase(attribute->text);
        };
        if (!instance.module) instance.attributes.set(name, dict); // shows what is set later, see setDict
        return dict;
    }
    if (instance.payload.isSet()) // what dict has itself; `__getattr__` is asked for the rest
        if (const Value held = instance.payload.as<Property>() ? findAttribute(instance.payload, name)
                                                               : builtinAttribute(instance.payload, name);
            held.isSet())
            return held;
    if (asksGetattr && name != "__getattr__" && instance.type->find("__getattr__"))
        return attributeByGetattr(instance, name, self);
    const Value found = name.starts_with("__") ? objectMember(self, *instance.type, name) : Value();
    if (found.isSet()) return found;
    requireMissing(instance.type, name);
    if (instance.payload.isSet()) requireMissing(typeOf(instance.payload), name);
    return found;
}

} // namespace fx::python
