// SPDX-License-Identifier: GPL-3.0-or-later
// Types of values, and `isinstance`.
#include "core/python/interpreter.h"

#include <algorithm>

namespace fx::python {

std::string Interpreter::viewName(const DictView& view) {
    static constexpr std::string_view kParts[] = {"keys", "values", "items"};
    return (view.dict->isOrdered ? "odict_" : "dict_") + std::string(kParts[static_cast<std::size_t>(view.kind)]);
}

Value Interpreter::typeOf(const Value& value) {
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
    if (value.as<Class>()) return builtinClass("type");
    if (value.as<Function>()) return builtinClass("function");
    if (value.as<Method>()) return builtinClass("method");
    if (value.as<Native>()) return builtinClass("builtin_function_or_method");
    if (value.as<Iterator>()) return builtinClass("generator");
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
        if (argument && argument->as<BigInt>()) return builtinClass("int");
        if (argument && argument->as<Bytes>()) return builtinClass("bytes");
        if (const auto* function = traced->value.as<trace::FunctionValue>()) switch (function->callable->kind) {
            case Callable::Kind::OpOverload: return builtinClass("OpOverload");
            case Callable::Kind::OpPacket: return builtinClass("OpOverloadPacket");
            case Callable::Kind::HigherOrderOp: return builtinClass("HigherOrderOperator");
            default: return builtinClass("function");
            }
    }
    return m_object;
}

bool Interpreter::isSubclass(Class* type, const Value& of) {
    if (const auto* tuple = of.as<Tuple>())
        return std::any_of(tuple->items.begin(), tuple->items.end(),
                           [&](const Value& each) { return isSubclass(type, each); });
    auto* wanted = of.as<Class>();
    if (!wanted || !type) return false;
    if (Value* abstract = wanted->members.find("__accepts__"))
        return type->derivesFrom(wanted) || std::any_of(type->order.begin(), type->order.end(), [&](const Class* each) {
                   return contains(*abstract, text(each->name));
               });
    return type->derivesFrom(wanted);
}

bool Interpreter::isInstance(const Value& value, const Value& type) {
    if (const auto* tuple = type.as<Tuple>())
        return std::any_of(tuple->items.begin(), tuple->items.end(),
                           [&](const Value& each) { return isInstance(value, each); });
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
        if (function && function->path == "torch.Size") return value.as<Tuple>() && value.as<Tuple>()->isSize;
        if (function && function->callable->name == "Callable")
            return value.as<Function>() || value.as<Class>() || value.as<Native>() || value.as<Method>();
        return false;
    }
    return isSubclass(typeOf(value).as<Class>(), type);
}

} // namespace fx::python
