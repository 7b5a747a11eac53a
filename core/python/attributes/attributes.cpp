// SPDX-License-Identifier: GPL-3.0-or-later
// Attributes: where Python looks for them, in its order.
#include "core/ops/catalogue.h"
#include "core/python/interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

Value Interpreter::attribute(const Value& object, std::string_view name) {
    const Value found = findAttribute(object, name);
    if (found.isSet()) return found;
    if (const auto* instance = object.as<Instance>())
        raise("AttributeError", "'" + instance->type->name + "' object has no attribute '" + std::string(name) + "'");
    if (const auto* type = object.as<Class>())
        raise("AttributeError", "type object '" + type->name + "' has no attribute '" + std::string(name) + "'");
    if (const auto* space = object.as<Space>(); space && space->path.starts_with("torch.ops."))
        raise("AttributeError",
              "'_OpNamespace' '" + space->path.substr(10) + "' object has no attribute '" + std::string(name) + "'");
    if (const auto* space = object.as<Space>())
        raise("AttributeError", "module '" + space->path + "' has no attribute '" + std::string(name) + "'");
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

/// What an OpOverload and an OpOverloadPacket say of themselves; unset for other names.
Value Interpreter::operatorAttribute(const Callable& callable, std::string_view name) {
    const bool isOverload = callable.kind == Callable::Kind::OpOverload;
    if (!isOverload && callable.kind != Callable::Kind::OpPacket) return {};
    constexpr std::string_view kOps = "torch.ops.";
    const std::string& path = callable.qualifiedName;
    const std::size_t overloadDot = isOverload ? path.rfind('.') : path.size();
    const std::size_t nameDot = path.rfind('.', overloadDot - 1);
    const std::string space = path.substr(kOps.size(), nameDot - kOps.size()),
                      packet = path.substr(nameDot + 1, overloadDot - nameDot - 1);
    if (name == "namespace" && isOverload) return text(space);
    if (name == "_qualified_op_name" && !isOverload) return text(space + "::" + packet);
    if (name == "_opname" && isOverload) return text(packet);
    if (name == "_overloadname" && isOverload) return text(path.substr(overloadDot + 1));
    if (name == "overloadpacket" && isOverload) return resolve(path.substr(0, overloadDot));
    if (name == "name" && isOverload) {
        const std::string overload = path.substr(overloadDot + 1);
        const std::string full = space + "::" + packet + (overload == "default" ? "" : "." + overload);
        return native("name", [full](Interpreter& in, Values&, Keywords&) -> Value { return in.text(full); });
    }
    if (name == "overloads" && !isOverload) {
        return native("overloads", [path](Interpreter& in, Values&, Keywords&) -> Value {
            Values out;
            for (const ops::Operator& each : ops::overloads(path))
                out.push_back(in.text(each.overload().empty() ? "default" : std::string(each.overload())));
            return in.listOf(std::move(out));
        });
    }
    return {};
}

Value Interpreter::findAttribute(const Value& object, std::string_view name) {
    if (name == "__class__") return typeOf(object);
    if (auto* traced = object.as<Traced>()) {
        if (traced->attributes)
            if (const Value* own = traced->attributes->find(name)) return *own;
        if (shapesConstant)
            if (const Value known = constantShape(traced->value, name); known.isSet()) return known;
        if (proxyAttribute && traced->value.isProxy())
            if (const Value own = proxyAttribute(traced->value, name); own.isSet()) return own;
        if (tensorIn(object) && name == "data") return object;
        if (tensorIn(object))
            if (const Value own = tensorMethod(object, name); own.isSet()) return own;
        if (tensorIn(object) && name == "requires_grad") return {tensorIn(object)->tensor->requiresGrad};
        if (traced->value.as<trace::FunctionValue>() && (name == "__name__" || name == "__qualname__"))
            return text(traced->value.as<trace::FunctionValue>()->callable->name);
        if (const auto* function = traced->value.as<trace::FunctionValue>()) {
            if (name == "__module__") return text(function->callable->module);
            if (const Value own = operatorAttribute(*function->callable, name); own.isSet()) return own;
            if (name != "_schema") return resolve(function->path + "." + std::string(name));
            if (function->callable->kind != Callable::Kind::OpOverload) return {};
            return call(*run(*ownFile("torch")).names.find("_schema_of"), {text(function->callable->qualifiedName)});
        }
        return fromTrace(m_tracer->attribute(traced->value, name));
    }
    if (auto* instance = object.as<Instance>()) {
        Value* hook = instance->type->hasGetter ? instance->type->find("__getattribute__") : nullptr;
        if (!hook || !hook->as<Function>()) return instanceAttribute(*instance, name, object);
        try {
            return call(bound(*hook, object, instance->type), {text(std::string(name))});
        } catch (const Raised& raised) {
            if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
            failedIn.clear();
            return {};
        }
    }
    if (auto* type = object.as<Class>()) return classAttribute(*type, name);
    if (auto* super = object.as<Super>()) return superAttribute(*super, name);
    if (auto* space = object.as<Space>()) return spaceAttribute(*space, name);
    if (auto* file = object.as<SourceFile>()) {
        if (name == "__name__") return text(file->name);
        Names& names = run(*file).names;
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
        if (const Value declared = declaredName(*file, std::string(name)); declared.isSet()) return declared;
        const Value part = importModule(file->name + "." + std::string(name), false);
        if (part.isSet() || !file->path.empty()) return part;
        return m_heap.make<Opaque>(file->name + "." + std::string(name)); // of Python's library
    }
    if (auto* opaque = object.as<Opaque>()) return m_heap.make<Opaque>(opaque->path + "." + std::string(name));
    if (auto* function = object.as<Function>()) {
        if (Value* found = function->attributes.find(name)) return *found;
        if (name == "__name__") return text(function->name);
        if (name == "__qualname__") return text(function->qualifiedName);
        if (name == "__module__") return text(function->file->name);
        if (name == "__doc__") return documentation(*function);
        if (name == "__dict__") {
            Dict* dict = m_heap.make<Dict>();
            for (const auto& [key, value] : function->attributes.items()) dict->set(text(key), value);
            return dict;
        }
        if (name == "__wrapped__" && function->shown) return function->shown;
        return {};
    }
    if (auto* method = object.as<Method>()) {
        if (name == "__self__") return method->self;
        if (name == "__func__") return method->function;
        return findAttribute(method->function, name);
    }
    if (auto* native = object.as<Native>(); native && name == "__name__") return text(native->name);
    if (auto* property = object.as<Property>()) {
        if (name == "fget") return property->getter;
        if (name == "fset") return property->setter.isSet() ? property->setter : Value::none();
        if (name == "setter") {
            return this->native("setter", [property](Interpreter& in, Values& args, Keywords&) -> Value {
                Property* both = in.heap().make<Property>();
                both->getter = property->getter;
                both->setter = args.at(0);
                return both;
            });
        }
        return {};
    }
    if (auto* wrapper = object.as<Wrapper>()) return findAttribute(wrapper->function, name);
    if (const auto* dict = object.as<Dict>(); dict && dict->attributes)
        if (const Value* own = dict->attributes->find(name)) return *own;
    return builtinMethod(object, name);
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
    if (Value* dynamic = instance.type->find("__getattr__"); dynamic && name != "__getattr__") {
        try {
            return call(bound(*dynamic, self, instance.type), {text(std::string(name))});
        } catch (const Raised& raised) {
            if (!isInstance(raised.exception, builtinClass("AttributeError"))) throw;
            failedIn.clear();
            return {};
        }
    }
    if (instance.payload.isSet()) return findAttribute(instance.payload, name);
    return name.starts_with("__") ? objectMember(self, *instance.type, name) : Value();
}

namespace {
bool isHookTable(std::string_view name) {
    return name == "_forward_pre_hooks" || name == "_forward_hooks" || name == "_forward_pre_hooks_with_kwargs" ||
           name == "_forward_hooks_with_kwargs";
}
} // namespace

Value Interpreter::moduleAttribute(Instance& instance, std::string_view name) {
    Module& module = *instance.module;
    if (name == "training") return {module.training};
    for (const auto* slots : {&module.parameters, &module.buffers})
        for (const auto& slot : *slots)
            if (slot.name == name)
                return slot.tensor ? tensorAttribute(instance, slot.tensor, name, slots == &module.parameters)
                                   : Value::none();
    for (const auto& child : module.children)
        if (child.name == name) return wrapModule(child.module);
    if (name == "_non_persistent_buffers_set") {
        Set* names = m_heap.make<Set>();
        for (const auto& slot : module.buffers)
            if (!slot.persistent) names->items.set(text(slot.name), Value::none());
        return names;
    }
    if (isHookTable(name)) {
        Dict* table = m_heap.make<Dict>();
        table->isOrdered = true;
        instance.attributes.set(name, table);
        return table;
    }
    if (name != "_modules" && name != "_parameters" && name != "_buffers") return {};
    Dict* all = m_heap.make<Dict>();
    if (name == "_modules")
        for (const auto& child : module.children) all->set(text(child.name), wrapModule(child.module));
    else
        for (const auto& slot : name == "_buffers" ? module.buffers : module.parameters)
            all->set(text(slot.name), slot.tensor ? traced({trace::TensorValue{slot.tensor}}) : Value::none());
    all->changed = [this, &instance, kind = std::string(name)](const Value& key, const Value* value) {
        setModuleEntry(instance, kind, str(key), value);
    };
    return all;
}

/// A parameter or buffer: while a trace goes on, what the tracer makes of reading it.
Value Interpreter::tensorAttribute(Instance& instance, const TensorPtr& tensor, std::string_view name,
                                   bool isParameter) {
    Module& module = *instance.module;
    if (!m_traces || !m_tracer->modules().modulePath(&module)) return traced({trace::TensorValue{tensor}});
    if (hooks && hooks->getAttribute) return hooks->getAttribute(instance, name, traced({trace::TensorValue{tensor}}));
    const Value read = fromTrace(m_tracer->attribute({trace::ModuleValue{&module}}, name));
    // torch.fx makes a ParameterProxy of it, which a buffer cannot be.
    if (shapesConstant && !isParameter && isProxy(read))
        raise("AssertionError", "Expected Parameter, got <class 'torch.Tensor'>");
    return read;
}

/// torch.fx `ParameterProxy`: what it knows of its parameter; unset for other proxies and names.
Value Interpreter::constantShape(const trace::Value& proxy, std::string_view name) {
    static constexpr std::string_view kNames[] = {"shape", "size", "dim", "ndim", "numel", "nelement"};
    const auto* node = proxy.as<trace::Proxy>();
    if (!node || std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return {};
    const Node& read = m_tracer->graph().node(node->node);
    if (read.op() != Op::GetAttr) return {};
    const PathTarget parameter = resolvePath(m_tracer->modules().root(), read.target());
    if (parameter.kind != PathTarget::Kind::Parameter || !parameter.tensor) return {};
    const Value known = traced({trace::TensorValue{parameter.tensor}});
    if (name == "shape" || name == "ndim") return findAttribute(known, name);
    return native(std::string(name), [known, name = std::string(name)](Interpreter& in, Values& args, Keywords&) {
        if (!args.empty())
            in.raise("TypeError", "ParameterProxy." + name + "() takes 1 positional argument but " +
                                      std::to_string(args.size() + 1) + " were given");
        return in.call(in.attribute(known, name), {});
    });
}

Value Interpreter::classAttribute(Class& type, std::string_view name) {
    if (name == "__name__" || name == "__qualname__") return text(type.name);
    if (name == "__mro__") return tuple(Values(type.order.begin(), type.order.end()));
    if (name == "__bases__") return tuple(Values(type.bases.begin(), type.bases.end()));
    if (name == "__module__" && type.members.find(name)) return *type.members.find(name);
    if (name == "__module__")
        return text(!type.torchPath.empty() ? type.torchPath.substr(0, type.torchPath.rfind('.'))
                    : type.file             ? type.file->name
                                            : "builtins");
    if (name == "__members__" || name == "__dict__") {
        Dict* members = m_heap.make<Dict>();
        for (const auto& [key, value] : type.members.items())
            if (name == "__dict__" || (value.as<Instance>() && value.as<Instance>()->type == &type))
                members->set(text(key), value);
        return members;
    }
    if (name == "__dataclass_fields__" && !type.isDataclass) return {};
    if (name == "__doc__") {
        const Value* own = type.members.find(name);
        return own ? *own : Value::none();
    }
    if (Value* member = type.find(name)) return bound(*member, {}, &type);
    if (name == "__annotations__") {
        Dict* dict = m_heap.make<Dict>();
        for (std::size_t i = 0; i < type.annotated.size(); ++i)
            dict->set(text(type.annotated[i].first), text(type.annotated[i].second));
        return dict;
    }
    return objectMember({}, type, name);
}

/// `__init__` of dict, list and set for an instance of a class derived from one; the rest keeps what `__new__` gave it.
void Interpreter::fillPayload(Instance& instance, const Values& args, const Keywords& kwargs) {
    Values rest(args.begin() + 1, args.end());
    if (auto* dict = instance.payload.as<Dict>()) {
        if (!rest.empty() && instance.type->derivesFrom(builtinClass("defaultdict"))) {
            dict->factory = rest.front();
            rest.erase(rest.begin());
        }
        call(dictMethod(*dict, "update"), std::move(rest), kwargs);
    } else if (auto* items = instance.payload.as<List>()) {
        items->items = rest.empty() ? Values() : list(rest.front());
    } else if (auto* set = instance.payload.as<Set>()) {
        set->items.clear();
        for (const Value& each : rest.empty() ? Values() : list(rest.front())) set->items.set(each, Value::none());
    }
}

/// What `object` and torch.nn.Module have beside what Lancet's own text says.
Value Interpreter::objectMember(const Value& self, Class&, std::string_view name) {
    const auto method = [&](auto body) {
        return native(std::string(name), [self, body](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
            if (self.isSet()) args.insert(args.begin(), self);
            return body(in, args, kwargs);
        });
    };
    if (name == "__setattr__")
        return method([](Interpreter& in, Values& args, Keywords&) {
            auto* into = args.at(0).as<Instance>();
            if (into && into->module) in.setModuleAttribute(*into, in.str(args.at(1)), args.at(2));
            else if (into) into->attributes.set(in.str(args.at(1)), args.at(2));
            else in.setAttribute(args.at(0), in.str(args.at(1)), args.at(2));
            return Value::none();
        });
    if (name == "__getattribute__")
        return method([](Interpreter& in, Values& args, Keywords&) {
            const std::string wanted = in.str(args.at(1));
            auto* instance = args.at(0).as<Instance>();
            const Value found =
                instance ? in.instanceAttribute(*instance, wanted, args[0]) : in.attribute(args[0], wanted);
            if (!found.isSet())
                in.raise("AttributeError", "'" + in.str(in.attribute(in.typeOf(args[0]), "__name__")) +
                                               "' object has no attribute '" + wanted + "'");
            return found;
        });
    if (name == "__delattr__")
        return method([](Interpreter& in, Values& args, Keywords& kwargs) {
            return in.call(*in.builtin("delattr"), args, kwargs);
        });
    if (name == "__init__")
        return method([](Interpreter& in, Values& args, Keywords& kwargs) {
            auto* instance = args.empty() ? nullptr : args[0].as<Instance>();
            if (instance && instance->payload.isSet()) in.fillPayload(*instance, args, kwargs);
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

Value Interpreter::superAttribute(Super& super, std::string_view name) {
    const auto* instance = super.self.as<Instance>();
    Class* type = instance ? instance->type : super.self.as<Class>();
    if (!type) return {};
    const auto after = std::find(type->order.begin(), type->order.end(), super.after);
    for (auto each = after == type->order.end() ? after : after + 1; each != type->order.end(); ++each)
        if (Value* member = (*each)->members.find(name)) return bound(*member, instance ? super.self : Value(), type);
    if (instance && instance->module)
        if (const Value found = moduleAttribute(*super.self.as<Instance>(), name); found.isSet()) return found;
    if (instance && instance->payload.isSet())
        if (const Value found = findAttribute(instance->payload, name); found.isSet()) return found;
    if (name == "__new__")
        return native("__new__", [](Interpreter& in, Values& args, Keywords&) -> Value {
            auto* of = args.at(0).as<Class>();
            if (!of) in.raise("TypeError", "object.__new__(X): X is not a type object");
            return in.bare(*of);
        });
    return objectMember(instance ? super.self : Value(), *type, name);
}

namespace {
/// Modules of which Lancet's tables hold all functions, classes and constants of PyTorch 2.13, and what is public there
/// beside them: mostly modules.
constexpr std::pair<std::string_view, std::string_view> kKnownSpaces[] = {
    {"torch",
     " AVG PRIVATE_OPS SUM TYPE_CHECKING USE_GLOBAL_DEPS USE_RTLD_GLOBAL_WITH_LIBTORCH accelerator ao backends "
     "builtins "
     "classes compiler cpp ctypes default_generator distributions export functools futures get_device_module glob "
     "has_lapack has_mkl has_openmp has_spectral hub importlib inspect library math monitor mps mtia multiprocessing "
     "ops optim os package platform profiler quantization quasirandom serialization signal sys testing textwrap "
     "threading torch torch_version version warnings windows xpu "},
    {"torch.nn", " common_types grad intrinsic parallel qat quantizable quantized "},
    {"torch.nn.functional", " BroadcastingList1 BroadcastingList2 BroadcastingList3 Callable DType "
                            "GRID_SAMPLE_INTERPOLATION_MODES GRID_SAMPLE_PADDING_MODES Optional TYPE_CHECKING "
                            "dataclasses grad importlib math np reproducibility_notes sparse_support_notes tf32_notes "
                            "torch warnings "},
    {"torch.linalg", " common_notes "},
    {"torch.special", " common_args multi_dim_common torch "},
    {"torch.fft", " common_args factory_common_args torch "},
    {"torch.nn.init", " Callable Literal ParamSpec TypeVar math torch warnings "},
    {"torch.nn.utils", " clip_grad convert_parameters fusion init memory_format rnn stateless "},
};

/// What is public in a module beside what the tables hold; empty for modules that they do not hold.
std::string_view publicNames(std::string_view space) {
    for (const auto& [path, others] : kKnownSpaces)
        if (path == space) return others;
    return {};
}

/// Whether PyTorch has no such name: `found` is what the tables say of it.
bool isMissing(std::string_view space, std::string_view name, const Value& found) {
    const auto* traced = found.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    if (!function) return false;
    if (space == "torch.ops.aten") return !isKnownCallable(function->path);
    if (!function->callable->opaque || name.starts_with('_')) return false;
    const std::string_view others = publicNames(space);
    return !others.empty() && others.find(" " + std::string(name) + " ") == std::string_view::npos;
}
} // namespace

bool Interpreter::namesAreKnown(const Space& space) { return !publicNames(space.path).empty(); }

/// Unset for what PyTorch does not have. Code of a graph may be of another version: its names stay as they are.
Value Interpreter::spaceAttribute(Space& space, std::string_view name) {
    if (name == "__name__") return text(space.path);
    const Value found = resolve(space.path + "." + std::string(name));
    const bool isGenerated = m_frame && m_frame->file && m_frame->file->isGenerated;
    return !isGenerated && isMissing(space.path, name, found) ? Value() : found;
}

namespace {
/// `dict.__getitem__` and such of objects that hold others; null for other names.
Native::Body containerOperator(const Value& object, std::string_view name) {
    if (name == "__getitem__")
        return [object](Interpreter& in, Values& args, Keywords&) { return in.item(object, args.at(0)); };
    if (name == "__setitem__")
        return [object](Interpreter& in, Values& args, Keywords&) {
            in.setItem(object, args.at(0), args.at(1));
            return Value::none();
        };
    if (name == "__delitem__")
        return [object](Interpreter& in, Values& args, Keywords&) {
            in.deleteItem(object, args.at(0));
            return Value::none();
        };
    if (name == "__contains__")
        return [object](Interpreter& in, Values& args, Keywords&) { return Value(in.contains(object, args.at(0))); };
    if (name == "__len__") return [object](Interpreter& in, Values&, Keywords&) { return in.length(object); };
    if (name == "__iter__")
        return [object](Interpreter& in, Values&, Keywords&) -> Value { return in.iterate(object); };
    return nullptr;
}
} // namespace

Value Interpreter::builtinMethod(const Value& object, std::string_view name) {
    const auto* view = object.as<DictView>();
    const bool holds = view || object.as<Dict>() || object.as<List>() || object.as<Tuple>() || object.as<Set>();
    if (name.starts_with("__") && holds)
        if (Native::Body body = containerOperator(object, name)) return native(std::string(name), std::move(body));
    if (auto* text = object.as<Str>()) return textMethod(*text, name);
    if (auto* list = object.as<List>()) return listMethod(*list, name);
    if (auto* dict = object.as<Dict>()) return dictMethod(*dict, name);
    if (auto* set = object.as<Set>()) return setMethod(*set, name);
    if (view && name == "isdisjoint" && view->kind != DictView::Kind::ValuesOnly)
        return setMethod(*setOf(object), name);
    if (auto* tuple = object.as<Tuple>(); tuple && (name == "count" || name == "index")) {
        List* list = listOf(tuple->items);
        return listMethod(*list, name);
    } else if (tuple) {
        const auto field = std::find(tuple->fields.begin(), tuple->fields.end(), name);
        return field == tuple->fields.end() ? Value()
                                            : tuple->items[static_cast<std::size_t>(field - tuple->fields.begin())];
    }
    if (auto* slice = object.as<SliceObject>())
        return name == "start" ? slice->start : name == "stop" ? slice->stop : name == "step" ? slice->step : Value();
    if (auto* range = object.as<RangeObject>()) {
        if (name == "start") return {range->start};
        if (name == "stop") return {range->stop};
        if (name == "step") return {range->step};
    }
    if (auto* iterator = object.as<Iterator>()) return iteratorMethod(*iterator, name);
    if (object.isNumber()) {
        if (name == "real") return object;
        if (name == "item" || name == "tolist") // numbers of numpy are numbers of Python here
            return native(std::string(name), [object](Interpreter&, Values&, Keywords&) { return object; });
        if (name == "astype")
            return native("astype", [object](Interpreter& in, Values& args, Keywords&) {
                const Value kind = in.call(*in.run(*in.ownFile("numpy")).names.find("dtype"), {args.at(0)});
                return in.call(kind, {object});
            });
        if (name == "is_integer")
            return native("is_integer", [object](Interpreter&, Values&, Keywords&) -> Value {
                return {object.asReal() == static_cast<double>(static_cast<std::int64_t>(object.asReal()))};
            });
        if (name == "bit_length")
            return native("bit_length", [object](Interpreter&, Values&, Keywords&) -> Value {
                std::int64_t bits = 0;
                for (std::int64_t left = std::abs(object.asInt()); left; left >>= 1) ++bits;
                return {bits};
            });
    }
    return {};
}

/// `del object.name`
void Interpreter::removeAttribute(const Value& object, const std::string& name) {
    bool found = false;
    if (auto* type = object.as<Class>()) {
        found = type->members.erase(name);
    } else if (auto* function = object.as<Function>()) {
        found = function->attributes.erase(name);
    } else if (auto* instance = object.as<Instance>()) {
        found = instance->attributes.erase(name);
        if (Module* module = instance->module.get()) {
            const auto isIt = [&](const auto& slot) { return slot.name == name; };
            found |= std::erase_if(module->attributes, [&](const auto& each) { return each.first == name; }) != 0;
            found |= std::erase_if(module->parameters, isIt) != 0;
            found |= std::erase_if(module->buffers, isIt) != 0;
            found |= std::erase_if(module->children, isIt) != 0;
        }
    } else {
        return;
    }
    if (!found)
        raise("AttributeError",
              "'" + str(attribute(typeOf(object), "__name__")) + "' object has no attribute '" + name + "'");
}

/// `object.__class__ = type`
void Interpreter::setClass(Instance& instance, const Value& value) {
    auto* type = value.as<Class>();
    if (!type)
        raise("TypeError",
              "__class__ must be set to a class, not '" + str(attribute(typeOf(value), "__name__")) + "' object");
    instance.type = type;
    if (instance.module) nameClass(*instance.module, *type);
}

void Interpreter::setAttribute(const Value& object, std::string_view name, const Value& value) {
    if (auto* instance = object.as<Instance>()) {
        if (name == "__class__") return setClass(*instance, value);
        Value* member = instance->type->find(name);
        if (auto* property = member ? member->as<Property>() : nullptr) {
            if (!property->setter.isSet())
                raise("AttributeError",
                      "property '" + std::string(name) + "' of '" + instance->type->name + "' object has no setter");
            call(property->setter, {object, value});
            return;
        }
        if (const Value set = member ? specialMethod(*member, "__set__") : Value(); set.isSet()) {
            call(set, {object, value});
            return;
        }
        if (Value* own = instance->type->find("__setattr__")) {
            call(bound(*own, object, instance->type), {text(std::string(name)), value});
            return;
        }
        if (instance->type->isFrozenRecord && instance->attributes.find("__made__"))
            raise("FrozenInstanceError", "cannot assign to field '" + std::string(name) + "'");
        if (instance->module) return setModuleAttribute(*instance, name, value);
        return instance->attributes.set(name, value);
    }
    if (auto* type = object.as<Class>()) return type->members.set(name, value);
    if (auto* function = object.as<Function>()) return function->attributes.set(name, value);
    if (auto* file = object.as<SourceFile>()) return run(*file).names.set(name, value);
    if (auto* dict = object.as<Dict>(); dict && dict->isOrdered) {
        if (!dict->attributes) dict->attributes = std::make_shared<Names>();
        return dict->attributes->set(name, value);
    }
    if (object.as<Opaque>() || object.as<Space>()) return;
    if (tensorIn(object)) {
        auto& tensor = const_cast<TensorRef&>(*tensorIn(object)->tensor);
        if (name == "data" && tensorIn(value)) {
            if (machine) machine->assign(tensorIn(object)->tensor, tensorIn(value)->tensor);
            else tensor.storage = tensorIn(value)->tensor->storage;
        }
        if (name == "requires_grad") tensor.requiresGrad = truth(value);
        return; // other attributes of a tensor are marks that nothing records
    }
    if (isProxy(object)) { // a proxy is an object of Python, and records nothing of this
        auto& attributes = object.as<Traced>()->attributes;
        if (!attributes) attributes = std::make_unique<Names>();
        return attributes->set(name, value);
    }
    if (object.as<Method>() || object.as<Native>()) return;
    throw CannotFollow(Message("trace.unsupported_attribute_assignment", {{"value", repr(object)}}));
}

} // namespace fx::python
