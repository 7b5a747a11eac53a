// SPDX-License-Identifier: GPL-3.0-or-later
// Types of values, and `isinstance`.
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {

std::string Types::viewName(const DictView& view) {
    static constexpr std::string_view kParts[] = {"keys", "values", "items"};
    return (view.dict->isOrdered ? "odict_" : "dict_") + std::string(kParts[static_cast<std::size_t>(view.kind)]);
}

Value Types::typeOf(const Value& value) {
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return builtinClass("NoneType");
    case Value::Kind::Bool: return builtinClass("bool");
    case Value::Kind::Int: return builtinClass("int");
    case Value::Kind::Float: return builtinClass("float");
    case Value::Kind::Object: break;
    }
    if (const auto* instance = value.as<Instance>()) return instance->type;
    if (value.as<Str>()) return builtinClass("str");
    if (value.as<List>()) return builtinClass("list");
    if (value.as<Tuple>()) return builtinClass("tuple");
    if (const auto* dict = value.as<Dict>())
        return builtinClass(dict->isOrdered ? "OrderedDict" : dict->factory.isSet() ? "defaultdict" : "dict");
    if (const auto* set = value.as<Set>()) return builtinClass(set->isFrozen ? "frozenset" : "set");
    if (const auto* view = value.as<DictView>()) return builtinClass(viewName(*view));
    if (value.as<SliceObject>()) return builtinClass("slice");
    if (value.as<RangeObject>()) return builtinClass("range");
    if (const auto* type = value.as<Class>()) {
        if (type->metaclass) return type->metaclass;
        return type->isEnum ? *run(*ownFile("enum")).names.find("EnumType") : builtinClass("type");
    }
    if (const auto* wrapper = value.as<Wrapper>()) {
        static constexpr std::string_view kWrappers[] = {"staticmethod", "classmethod", "cached_property"};
        return builtinClass(kWrappers[static_cast<std::size_t>(wrapper->kind)]);
    }
    if (value.as<Super>()) return builtinClass("super");
    if (value.as<Function>()) return builtinClass("function");
    if (value.as<Method>()) return builtinClass("method");
    if (value.as<Native>()) return builtinClass("builtin_function_or_method");
    if (const auto* iterator = value.as<Iterator>()) return builtinClass(iterator->type);
    if (value.as<Property>()) return builtinClass("property");
    if (value.as<SourceFile>() || value.as<Space>()) return builtinClass("module");
    if (isProxy(value)) return builtinClass("Proxy");
    if (const auto* tensor = tensorIn(value)) return builtinClass(tensor->tensor->isParameter ? "Parameter" : "Tensor");
    if (const auto* traced = value.as<Traced>()) {
        const auto* argument = traced->value.as<Argument>();
        const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
        if (constant && constant->kind == TorchConstant::Kind::Dtype) return resolve("torch.dtype");
        if (argument && argument->as<Device>()) return resolve("torch.device");
        if (argument && argument->as<Complex>()) return builtinClass("complex");
        if (argument && argument->as<EllipsisValue>()) return builtinClass("ellipsis");
        if (argument && argument->as<BigInt>()) return builtinClass("int");
        if (argument && argument->as<Bytes>()) return builtinClass("bytes");
        if (const auto* function = traced->value.as<trace::FunctionValue>()) switch (function->callable->kind) {
            case Callable::Kind::OpOverload: return builtinClass("OpOverload");
            case Callable::Kind::OpPacket: return builtinClass("OpOverloadPacket");
            case Callable::Kind::HigherOrderOp: return builtinClass("HigherOrderOperator");
            default: return builtinClass("function");
            }
    }
    return m_in.builtins().object();
}

namespace {
/// Whether a class of the program has the methods by which a class of collections.abc knows its own.
bool hasMethods(const Class& type, const Class& wanted) {
    const Value* names = wanted.members.find("__methods__");
    if (!names || !itemsOf(*names)) return false;
    const Values& methods = *itemsOf(*names);
    return std::all_of(methods.begin(), methods.end(), [&](const Value& each) {
        const Value* method = type.find(each.get<Str>().text);
        return (method && !method->isNone()) || (!method && each.get<Str>().text == "__hash__");
    });
}
} // namespace

bool Types::isSubclass(Class* type, const Value& of) {
    requireKnown(of);
    if (const auto* tuple = of.as<Tuple>()) {
        const trace::Deeper deeper(" in __subclasscheck__");
        trace::charge(tuple->items.size());
        return std::any_of(tuple->items.begin(), tuple->items.end(),
                           [&](const Value& each) { return isSubclass(type, each); });
    }
    auto* wanted = of.as<Class>();
    if (!wanted && !of.as<Traced>() && !of.isNone())
        raise("TypeError", "issubclass() arg 2 must be a class, a tuple of classes, or a union");
    if (!wanted || !type) return false;
    if (type->derivesFrom(wanted)) return true;
    for (const Class* registered : wanted->registered)
        if (type->derivesFrom(registered)) return true;
    const bool isOfProgram = type->file && !type->file->path.empty();
    if (isOfProgram && hasMethods(*type, *wanted)) return true;
    if (!isOfProgram && wanted->file && !wanted->file->path.empty() && wanted->members.find("__methods__"))
        throw trace::CannotFollow(Message("trace.not_computed", {{"function", "isinstance"}})); // of a protocol
    if (type->unknownBase) requireKnown(type->unknownBase);
    Value* abstract = wanted->members.find("__accepts__");
    return abstract && std::any_of(type->order.begin(), type->order.end(), [&](const Class* each) {
               const bool isBuiltin = !each->file || each->file->path.empty();
               return isBuiltin && contains(*abstract, text(each->name));
           });
}

bool Types::isInstance(const Value& value, const Value& type) {
    if (const auto* tuple = type.as<Tuple>()) {
        const trace::Deeper deeper(" in __instancecheck__");
        trace::charge(tuple->items.size());
        return std::any_of(tuple->items.begin(), tuple->items.end(),
                           [&](const Value& each) { return isInstance(value, each); });
    }
    requireKnown(value), requireKnown(type);
    if (type.isNone()) return value.isNone();
    if (const auto* traced = type.as<Traced>()) {
        const auto* function = traced->value.as<trace::FunctionValue>();
        const Value own = typeOf(value);
        const auto* ownClass = own.as<Traced>();
        const auto* mine = ownClass ? ownClass->value.as<trace::FunctionValue>() : nullptr;
        if (function && mine) return function->path == mine->path;
        if (function && function->path.starts_with("typing.")) { // typing.Sequence is collections.abc.Sequence
            Value* abstract = run(*ownFile("collections.abc")).names.find(function->path.substr(7));
            if (abstract && abstract->as<Class>()) return isInstance(value, *abstract);
            static constexpr std::pair<std::string_view, std::string_view> kPlain[] = {
                {"typing.List", "list"}, {"typing.Tuple", "tuple"}, {"typing.Dict", "dict"}, {"typing.Set", "set"}};
            for (const auto& [alias, name] : kPlain)
                if (function->path == alias) return isInstance(value, builtinClass(name));
        }
        if (function && function->path == "torch.Size") return value.as<Tuple>() && value.get<Tuple>().isSize;
        if (function && function->callable->name == "Callable")
            return value.as<Function>() || value.as<Class>() || value.as<Native>() || value.as<Method>();
        return false;
    }
    if (const Value own = specialMethod(type, "__instancecheck__"); own.isSet()) return truth(call(own, {value}));
    if (!type.as<Class>()) raise("TypeError", "isinstance() arg 2 must be a type, a tuple of types, or a union");
    return isSubclass(typeOf(value).as<Class>(), type);
}

} // namespace fx::python
