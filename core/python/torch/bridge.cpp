// SPDX-License-Identifier: GPL-3.0-or-later
// What crosses to the tracer and back: values, names of torch, types of annotations.
#include "core/ir/make_type.h"
#include "core/make/observer_spec.h"
#include "core/ops/nn_modules.h"
#include "core/ops/python_functions.h"
#include "core/python/python_interpreter.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

CallablePtr Bridge::callableOf(const Class& type) {
    auto callable = std::make_shared<Callable>();
    callable->kind = Callable::Kind::Class;
    const Value* const named = type.members.find("__module__");
    callable->module = named && named->as<Str>() ? named->get<Str>().text : type.file ? type.file->name : "builtins";
    callable->name = type.name;
    const std::string space = type.file ? callable->module + "." : "";
    callable->qualifiedName = space + type.name; // torch.fx leaves out the class or function around it
    callable->repr = "<class '" + space + type.pathInFile() + "'>";
    callable->opaque = true;
    return callable;
}

trace::Value Bridge::toOperand(const Value& given, bool records) {
    const Value value = records ? given : plainValue(given);
    switch (value.kind) {
    case Value::Kind::Unset:
    case Value::Kind::None: return trace::none();
    case Value::Kind::Bool: return {Argument(value.boolean)};
    case Value::Kind::Int: return {Argument(value.integer)};
    case Value::Kind::Float: return {Argument(value.real)};
    case Value::Kind::Object: break;
    }
    if (const auto* traced = value.as<Traced>()) {
        if (const auto* tensor = tensorIn(value)) m_in.tensors().checkData(*tensor);
        return traced->value;
    }
    if (const auto* text = value.as<Str>()) {
        trace::charge(text->text.size() / 64);
        return {Argument(text->text)};
    }
    const trace::Deeper deeper;
    const auto all = [&](const Values& items) {
        trace::chargeBytes(items.size() * sizeof(trace::Value));
        trace::charge(items.size());
        trace::Values out;
        out.reserve(items.size());
        for (std::size_t i = 0; i < items.size(); ++i) out.push_back(toOperand(items[i], records));
        return out;
    };
    if (const auto* tuple = value.as<Tuple>()) return trace::tupleOf(all(tuple->items));
    if (const auto* list = value.as<List>()) return trace::listOf(all(list->items));
    if (const auto* dict = value.as<Dict>()) {
        trace::ValueDict out;
        trace::chargeBytes(dict->size() * 2 * sizeof(trace::Value));
        trace::charge(dict->size());
        dict->forEach([&](const Value& key, const Value& each) {
            out.items.emplace_back(toOperand(key, records), toOperand(each, records));
        });
        return trace::box(std::move(out));
    }
    trace::charge(1);
    if (const auto* slice = value.as<SliceObject>()) {
        trace::chargeBytes(sizeof(trace::ValueSlice));
        return trace::box(trace::ValueSlice{toOperand(slice->start, records), toOperand(slice->stop, records),
                                            toOperand(slice->step, records)});
    }
    if (const auto* range = value.as<RangeObject>()) return {Argument(Range{range->start, range->stop, range->step})};
    if (const auto* space = value.as<Space>()) return trace::box(trace::NamespaceValue{space->path});
    if (auto* instance = value.as<Instance>()) {
        if (instance->module) return {trace::ModuleValue{instance->module.get()}};
        if (instance->type->isNamedTuple) {
            // torch.fx `Tracer.create_arg`: a node constructs it where it is used.
            return trace::box(
                trace::Construction{callableOf(*instance->type), all(instance->payload.get<Tuple>().items), {}});
        }
        if (instance->type->isDataclass && !instance->payload.isSet()) {
            trace::Construction made{callableOf(*instance->type), {}, {}};
            for (const std::string& field : instance->type->fields)
                if (const Value* each = instance->attributes.find(field))
                    made.kwargs.emplace_back(field, toTrace(*each));
            return trace::box(std::move(made));
        }
        if (instance->type->isEnum) { // torch.fx keeps members, also of IntEnum
            const std::string name = str(*instance->attributes.find("name")), shown = str(value);
            const bool usual = shown == instance->type->name + "." + name;
            return {Argument(EnumMember{callableOf(*instance->type), name, repr(value), usual ? "" : shown})};
        }
        // A numpy.float64 is a float of Python, too; others torch.fx `create_arg` refuses.
        const bool isFloat = !instance->type->isArrayNumber || instance->type->derivesFrom(builtinClass("float"));
        if (instance->payload.isSet() && isFloat) return toTrace(instance->payload);
        if (m_in.hooks && m_in.hooks->createArgument)
            if (const Value made = m_in.hooks->createArgument(value); made.isSet()) return toTrace(made);
        if (instance->type->find("__torch_function__"))
            throw CannotFollow(Message("trace.unknown_standard", {{"name", "__torch_function__"}}));
        if (!records)
            throw CannotFollow(
                Message("trace.not_computed", {{"function", "a function of a " + instance->type->name}}));
        throw PythonError("NotImplementedError: argument of type: <class '" +
                          (instance->type->file ? instance->type->file->name + "." : "") +
                          instance->type->pathInFile() + "'>");
    }
    if (const auto* type = value.as<Class>()) {
        const std::string path = type->torchPath.empty() ? type->name : type->torchPath;
        if (type->file && type->torchPath.empty())
            return trace::box(trace::FunctionValue{path, callableOf(*type), std::nullopt, false});
        return trace::resolveName(type->torchPath.empty() ? "builtins." + path : path);
    }
    if (const auto* opaque = value.as<Opaque>()) throw CannotFollow(unknownImport(*opaque));
    if (value.as<Iterator>() && !records) return trace::tupleOf(all(list(value)));
    const std::string type = typeName(value);
    if (!records) throw CannotFollow(Message("trace.not_computed", {{"function", "a function of a " + type}}));
    throw PythonError("NotImplementedError: argument of type: <class '" + type + "'>");
}

Value Bridge::fromTrace(const trace::Value& value) {
    if (const auto* argument = value.as<Argument>()) {
        if (argument->isNone()) return Value::none();
        if (const auto* flag = argument->as<bool>()) return {*flag};
        if (const auto* number = argument->as<std::int64_t>()) return {*number};
        if (const auto* number = argument->as<double>()) return {*number};
        if (const auto* text = argument->as<std::string>()) return this->text(*text);
        if (argument->as<Sequence>() || argument->as<fx::Dict>() || argument->as<fx::Slice>())
            return fromTrace(trace::fromArgument(*argument));
        if (const auto* function = argument->as<CallableValue>()) // as a setting of a module: `activation`
            if (ops::findFunction(function->callable->qualifiedName)) return resolve(function->callable->qualifiedName);
        return traced(value);
    }
    const trace::Deeper deeper;
    if (const auto* sequence = value.as<trace::ValueSequence>()) {
        Values items;
        for (const auto& each : sequence->items) items.push_back(fromTrace(each));
        if (sequence->list) return listOf(std::move(items));
        Tuple* made = tuple(std::move(items));
        made->fields = sequence->fields;
        made->isSize = sequence->isSize;
        return made;
    }
    if (const auto* dict = value.as<trace::ValueDict>()) {
        Dict* out = heap().make<Dict>();
        for (const auto& [key, each] : dict->items) out->set(fromTrace(key), fromTrace(each));
        return out;
    }
    if (const auto* slice = value.as<trace::ValueSlice>()) {
        SliceObject* out = heap().make<SliceObject>();
        out->start = fromTrace(slice->start);
        out->stop = fromTrace(slice->stop);
        out->step = fromTrace(slice->step);
        return out;
    }
    if (const auto* module = value.as<trace::ModuleValue>()) {
        if (auto* instance = m_in.modules().instanceOf(module->module)) return instance;
        return traced(value);
    }
    if (const auto* space = value.as<trace::NamespaceValue>()) return heap().make<Space>(space->path);
    return traced(value);
}

/// A dotted name below torch, math or operator: what Lancet's own modules say of it, a class of modules, or an entry of
/// the tables.
Value Bridge::resolve(const std::string& dotted) {
    if (const auto kept = m_kept.find(dotted); kept != m_kept.end()) return kept->second;
    const std::size_t dot = dotted.rfind('.');
    const std::string space = dotted.substr(0, dot), name = dotted.substr(dot + 1);
    if (!ownModule(space).empty() && space != "torch.nn.modules") { // whose names a program may set
        Names& names = run(*ownFile(space)).names;
        if (const Value* found = names.find(name)) {
            const Value value = forced(*found);
            names.set(name, value);
            return value;
        }
    }
    if (const auto known = m_resolved.find(dotted); known != m_resolved.end()) return known->second;
    Value value;
    if (Class* type = torchClass(dotted)) value = type;
    if (!value.isSet() &&
        (dotted == "torch.Tensor" || dotted == "torch.nn.Parameter" || dotted == "torch.nn.parameter.Parameter"))
        value = builtinClass(name);
    if (!value.isSet() && !ownModule(dotted).empty() && !ops::findModule(dotted)) value = heap().make<Space>(dotted);
    if (!value.isSet()) value = fromTrace(trace::resolveName(dotted));
    m_resolved.emplace(dotted, value);
    return value;
}

namespace {
/// Classes without text of their own whose weights can be drawn again.
bool hasReset(const ops::NnModule& type) {
    static constexpr std::string_view kNames[] = {"GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"};
    return type.path().starts_with("torch.nn.modules.") &&
           std::find(std::begin(kNames), std::end(kNames), type.name()) != std::end(kNames);
}

/// The class that a fused module of torch.ao wants for a parameter: Conv2d for `conv` of ConvReLU2d.
std::string partOf(std::string_view type, std::string_view parameter) {
    const std::string dimensions(type.substr(type.size() - 2));
    return parameter == "conv"                              ? "Conv" + dimensions
           : parameter == "bn" || parameter == "batch_norm" ? "BatchNorm" + dimensions
           : parameter == "linear"                          ? "Linear"
           : parameter == "leaky_relu"                      ? "LeakyReLU"
           : parameter == "tanh"                            ? "Tanh"
                                                            : "ReLU";
}

/// The constructor of a fused module, which is a Sequential of its arguments.
Native::Body fusedConstructor(const ops::NnModule& entry, Value construct) {
    return [entry, construct](Interpreter& in, Values& args, Keywords& kwargs) -> Value {
        const std::string name(entry.name());
        Values parts(args.begin(), args.begin() + 1);
        const auto parameters = entry.parameters();
        std::string types;
        bool fits = true;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Value* named = keyword(kwargs, parameters[i].name);
            if (i + 1 >= args.size() && !named)
                in.raise("TypeError", name + ".__init__() missing 1 required positional argument: '" +
                                          std::string(parameters[i].name) + "'");
            parts.push_back(i + 1 < args.size() ? args[i + 1] : *named);
            const auto* part = parts.back().as<Instance>();
            std::string type = in.typeName(parts.back());
            if (type.starts_with("Parametrized")) type.erase(0, std::string_view("Parametrized").size());
            fits &= part && !part->type->torchPath.empty() && type == partOf(name, parameters[i].name);
            const bool isLast = i + 1 == parameters.size();
            types += (i == 0 ? "" : !isLast ? ", " : i == 1 ? " and " : ", and ") + type;
        }
        if (args.size() - 1 + kwargs.size() != parameters.size())
            in.raise("TypeError", name + ".__init__() takes " + std::to_string(parameters.size() + 1) +
                                      " positional arguments but " + std::to_string(args.size()) + " were given");
        if (!fits) in.raise("AssertionError", "Incorrect types for input modules: " + types);
        return in.call(construct, std::move(parts));
    };
}
} // namespace

Class* Bridge::torchClass(const std::string& path) {
    if (const auto known = m_torchClasses.find(path); known != m_torchClasses.end()) return known->second;
    if (!path.starts_with("torch.")) return nullptr;
    const auto entry = ops::findModule(path);
    const std::string name = entry ? std::string(entry->name()) : path.substr(path.rfind('.') + 1);
    Class* type = nullptr;
    if ((entry && path.starts_with("torch.ao.")) || (entry && path.starts_with("torch.nn.modules.")) ||
        (path.starts_with("torch.nn.") && (entry || name == "Module" || name.starts_with('_')))) {
        if (Value* found = run(*ownFile("torch.nn.modules")).names.find(name)) type = found->as<Class>();
        if (type && entry && type->torchPath != entry->path()) type = nullptr; // of another namespace: torch.ao.nn
    }
    if (!type && entry) {
        type = heap().make<Class>();
        type->name = name;
        type->torchPath = entry->path();
        type->isModule = true;
        for (const std::string_view base : entry->bases())
            if (Class* known = torchClass(std::string(base))) type->bases.push_back(known);
        if (type->bases.empty()) type->bases = {torchClass("torch.nn.Module")};
        m_in.classes().orderBases(*type);
        m_in.classes().setConstants(*type, *entry);
        const bool isFused = type->torchPath.starts_with("torch.ao.nn.intrinsic.modules.fused.") &&
                             name.find("Add") == std::string::npos; // whose forward is not that of Sequential
        if (!isFused) m_in.classes().addConstructor(*type);
        else if (name != "_FusedModule")
            type->members.set("__init__", native("__init__", fusedConstructor(*entry, *type->find("__init__"))));
        if (quant::observerKind(type->torchPath))
            type->members.set("with_args",
                              native("with_args", [type](Interpreter& in, Values&, Keywords& kwargs) -> Value {
                                  const Value partial = *in.run(*in.ownFile("functools")).names.find("partial");
                                  return in.call(partial, {type}, std::move(kwargs));
                              }));
        if (hasReset(*entry))
            type->members.set("reset_parameters",
                              native("reset_parameters", [](Interpreter& in, Values& args, Keywords&) -> Value {
                                  in.modules().resetTorchModule(*args.at(0).as<Instance>());
                                  return Value::none();
                              }));
    }
    m_torchClasses.emplace(path, type);
    return type;
}

// ── annotations ──────────────────────────────────────────────────────────────────────────────────────────────────

/// An annotation that is text stays text.
TypePtr Bridge::textAnnotation(std::string text) {
    return makeType(TypeExpr::Kind::Text, "", repr(this->text(std::move(text))));
}

/// Adds a value of typing.Literal, as it prints; of another Literal its values.
void Bridge::addLiteral(std::vector<TypePtr>& to, const py::Expr& expr, Scope& scope) {
    const Value value = m_in.expressions().evaluate(expr, scope);
    if (!TypeArguments::isAlias(value)) return to.push_back(makeType(TypeExpr::Kind::Text, "", repr(value)));
    const std::vector<TypePtr>& inner = value.get<Opaque>().type->args;
    to.insert(to.end(), inner.begin(), inner.end());
}

/// The type that an annotation evaluates to; null for `None` and for what cannot be evaluated.
TypePtr Bridge::annotationType(const py::Expr& expr, Scope& scope) {
    const TypePtr noneType = makeType(TypeExpr::Kind::Class, "builtins", "NoneType");
    if (expr.kind == py::ExprKind::Constant && expr.constant->as<std::string>())
        return textAnnotation(*expr.constant->as<std::string>());
    if (expr.kind == py::ExprKind::Constant && expr.constant->as<EllipsisValue>())
        return makeType(TypeExpr::Kind::Text, "", "...");
    if (expr.kind == py::ExprKind::Subscript) {
        const TypePtr origin = annotationType(*expr.items[0], scope);
        if (!origin) return nullptr;
        std::vector<TypePtr> args;
        const bool isLiteral = origin->name == "Literal" && origin->module.starts_with("typing");
        const py::Expr& key = *expr.items[1];
        for (const auto* item :
             key.kind == py::ExprKind::Tuple ? key.items : std::span<const py::Expr* const>(&expr.items[1], 1)) {
            if (isLiteral) {
                addLiteral(args, *item, scope);
                continue;
            }
            TypePtr arg = annotationType(*item, scope);
            if (arg && origin->module == "typing") arg = forwardReference(arg);
            args.push_back(arg ? arg : noneType);
        }
        if (origin->module == "typing" && origin->name == "Optional") {
            args.push_back(noneType);
            return makeType(TypeExpr::Kind::Generic, "typing", "Union", std::move(args));
        }
        return makeType(TypeExpr::Kind::Generic, origin->module, origin->name, std::move(args), origin->fromTorch);
    }
    if (expr.kind == py::ExprKind::Binary && expr.text == "|") {
        std::vector<TypePtr> args;
        for (const auto* item : expr.items) {
            const TypePtr arg = annotationType(*item, scope);
            if (arg && arg->kind == TypeExpr::Kind::Union) args.insert(args.end(), arg->args.begin(), arg->args.end());
            else args.push_back(arg ? arg : noneType);
        }
        return makeType(TypeExpr::Kind::Union, "", "", std::move(args));
    }
    return annotationOf(m_in.expressions().evaluate(expr, scope));
}

/// The type that a value is as an annotation; null for `None`.
TypePtr Bridge::annotationOf(const Value& value) {
    if (value.isNone()) return nullptr;
    if (const auto* type = value.as<Class>()) {
        if (type->name == "Tensor" && !type->file) return makeType(TypeExpr::Kind::Class, "torch", "Tensor", {}, true);
        if (!type->torchPath.empty())
            return makeType(TypeExpr::Kind::Class, type->torchPath.substr(0, type->torchPath.rfind('.')), type->name,
                            {}, true);
        const bool fromTorch = type->file && type->file->path.empty() && type->file->name.starts_with("torch");
        const Value* const module = type->members.find("__module__"); // as torch.Generator is of torch._C
        const auto* named = module ? module->as<Str>() : nullptr;
        return makeType(TypeExpr::Kind::Class,
                        named        ? named->text
                        : type->file ? type->file->name
                                     : "builtins",
                        type->pathInFile(), {}, fromTorch);
    }
    if (const auto* opaque = value.as<Opaque>()) {
        if (opaque->type) return opaque->type;
        const std::size_t dot = opaque->path.rfind('.');
        return makeType(TypeExpr::Kind::Class, opaque->path.substr(0, dot == std::string::npos ? 0 : dot),
                        opaque->path.substr(dot + 1));
    }
    const auto* known = value.as<Traced>();
    if (const auto* function = known ? known->value.as<trace::FunctionValue>() : nullptr) {
        const Callable& callable = *function->callable;
        const bool alias =
            callable.module == "typing" && callable.repr.starts_with("typing.") && callable.name != "Any";
        return makeType(alias ? TypeExpr::Kind::Generic : TypeExpr::Kind::Class, callable.module, callable.name, {},
                        callable.fromTorch);
    }
    return makeType(TypeExpr::Kind::Text, "", repr(value));
}

} // namespace fx::python
