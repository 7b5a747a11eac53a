// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/classes/type_arguments.h"

#include "core/ir/make_type.h"
#include "core/python/python_interpreter.h"

#include <algorithm>

namespace fx::python {
namespace {
const Opaque* aliasIn(const Value& value) {
    const auto* opaque = value.as<Opaque>();
    return opaque && opaque->type ? opaque : nullptr;
}
bool isType(const Value& value) {
    return value.as<Class>() || aliasIn(value) || !TypeArguments::typingName(value).empty();
}
} // namespace

std::string_view TypeArguments::typingName(const Value& value) {
    const auto* traced = value.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    return function && function->callable->module == "typing" ? std::string_view(function->callable->name)
                                                              : std::string_view();
}

bool TypeArguments::isAlias(const Value& value) { return aliasIn(value) != nullptr; }

bool TypeArguments::takes(const Value& object) const {
    if (!stack().frame->file || stack().frame->file->path.empty()) return false;
    const auto* type = object.as<Class>();
    const auto* traced = object.as<Traced>();
    const auto* function = traced ? traced->value.as<trace::FunctionValue>() : nullptr;
    if (!type) return function && function->path.starts_with("typing.");
    const bool isOfPython = !type->file || type->file->path.empty();
    return !type->isModule && !type->isEnum && (isOfPython || type->isGeneric);
}

Value TypeArguments::made(const py::Expr& expr, const Value& origin, Values args) {
    Opaque* made = heap().make<Opaque>(Imports::sourceOf(expr, *stack().frame->file));
    made->type = m_in.bridge().annotationType(expr, *stack().frame->scope);
    made->origin = origin;
    const std::string_view name = typingName(origin);
    if (name == "Optional") args.push_back(Value::none());
    for (std::size_t i = 0; i < args.size(); ++i) {
        const Opaque* inner = aliasIn(args[i]);
        const bool isNested = inner && typingName(inner->origin) == name; // which is one with the outer
        if (name == "Union" || name == "Optional") addTypes(made->parts, converted(args[i]));
        else if (name == "Literal")
            for (const Value& each : isNested ? inner->parts : Values{args[i]}) addLiteral(made->parts, each);
        else if (name == "Annotated" && i == 0 && isNested) made->parts = inner->parts;
        else if (name.empty() || (name == "Annotated" && i > 0)) made->parts.push_back(args[i]);
        else made->parts.push_back(converted(args[i]));
    }
    const bool isOne = (name == "Union" || name == "Optional") && made->parts.size() == 1;
    return isOne ? made->parts[0] : made; // `Union[int]` is int
}

/// An argument as typing keeps it: `None` as NoneType, a text as a ForwardRef, in the list of a Callable, too.
Value TypeArguments::converted(const Value& argument) {
    if (argument.isNone()) return builtinClass("NoneType");
    if (argument.as<Str>()) return call(*run(*ownFile("typing")).names.find("ForwardRef"), {argument});
    const auto* parameters = argument.as<List>();
    if (!parameters) return argument;
    Values types;
    for (const Value& each : parameters->items) types.push_back(converted(each));
    return listOf(std::move(types));
}

/// Adds a value of a Literal, in which equal ones of the same type stand once.
void TypeArguments::addLiteral(Values& to, const Value& value) {
    trace::charge(to.size());
    const bool isThere = std::any_of(to.begin(), to.end(), [&](const Value& each) {
        return typeOf(each).sameAs(typeOf(value)) && equal(each, value);
    });
    if (!isThere) to.push_back(value);
}

/// Adds a type to those of a union, in which each stands once.
void TypeArguments::addTypes(Values& to, const Value& type) {
    if (const Values* types = typesOf(type)) {
        trace::charge(types->size());
        for (const Value& each : *types) addTypes(to, each);
        return;
    }
    const Opaque* alias = aliasIn(type);
    trace::charge(to.size());
    const bool isThere = std::any_of(to.begin(), to.end(), [&](const Value& each) {
        const Opaque* other = aliasIn(each);
        return each.sameAs(type) || (alias && other && alias->type->repr() == other->type->repr());
    });
    if (!isThere) to.push_back(type);
}

Value TypeArguments::unionOf(const Value& left, const Value& right) {
    const auto isPart = [](const Value& each) { return isType(each) || each.isNone() || each.as<Opaque>(); };
    const auto isVariable = [](const Value& each) {
        const auto* instance = each.as<Instance>();
        return instance && instance->type->file && instance->type->file->name == "typing";
    };
    if (!(isPart(left) || isVariable(left)) || !(isPart(right) || isVariable(right))) return {};
    if (!isType(left) && !isType(right) && !isVariable(left) && !isVariable(right)) return {};
    const auto isOfTyping = [&](const Value& each) {
        const Opaque* alias = aliasIn(each);
        return isVariable(each) || !typingName(alias ? alias->origin : each).empty();
    };
    Opaque* made = heap().make<Opaque>("types.UnionType");
    if (isOfTyping(left) || isOfTyping(right)) made->origin = resolve("typing.Union");
    for (const Value& each : {left, right}) addTypes(made->parts, converted(each));
    if (made->parts.size() == 1) return made->parts[0];
    std::vector<TypePtr> types;
    for (const Value& each : made->parts) types.push_back(m_in.bridge().annotationOf(each));
    made->type = makeType(TypeExpr::Kind::Union, "", "", std::move(types));
    return made;
}

const Values* TypeArguments::typesOf(const Value& value) {
    const Opaque* alias = aliasIn(value);
    if (!alias) return nullptr;
    const std::string_view name = typingName(alias->origin);
    return !alias->origin.isSet() || name == "Union" || name == "Optional" ? &alias->parts : nullptr;
}

Value TypeArguments::classOf(const Value& alias) {
    const auto classIn = [&](const char* file, const char* name) { return *run(*ownFile(file)).names.find(name); };
    const Value& origin = alias.get<Opaque>().origin;
    if (!origin.isSet()) return classIn("types", "UnionType");
    const std::string_view name = typingName(origin);
    const auto* type = origin.as<Class>();
    const bool isOfProgram = type && type->file && !type->file->path.empty(); // derives from typing.Generic
    if (name.empty() && !isOfProgram) return classIn("types", "GenericAlias");
    if (name == "Union" || name == "Optional") return classIn("typing", "_UnionGenericAlias");
    if (name == "Literal") return classIn("typing", "_LiteralGenericAlias");
    if (name == "Annotated") return classIn("typing", "_AnnotatedAlias");
    if (name == "Callable") return classIn("typing", "_CallableGenericAlias");
    return classIn("typing", "_GenericAlias");
}

Value TypeArguments::attributeOf(const Value& alias, std::string_view name) {
    const Opaque& type = alias.get<Opaque>();
    const std::string_view typing = typingName(type.origin);
    const bool isFlat = typing != "Annotated" && typing != "Callable";
    if (name == "__args__" && isFlat) return argumentsOf(alias);
    if (name == "__origin__" && !type.origin.isSet()) return {};
    if (name == "__origin__" && isFlat) return originOf(alias);
    const bool isOwn = name.starts_with("__") && name.ends_with("__");
    if (!isOwn && type.origin.as<Class>()) return softAttribute(type.origin, name);
    return heap().make<Opaque>(type, "." + std::string(name));
}

Value TypeArguments::originOf(const Value& value) {
    const Opaque* alias = aliasIn(value);
    if (!alias) requireKnown(value);
    if (alias && !alias->origin.isSet()) return classOf(value);
    if (typesOf(value)) return resolve("typing.Union");
    const Value& type = alias ? alias->origin : value;
    const std::string_view name = typingName(type);
    if (name.empty()) return alias ? type : Value::none();
    const Value found = m_in.types().findTyping("typing." + std::string(name));
    if (found.isSet()) return found;
    return alias || name == "Generic" ? type : Value::none();
}

Value TypeArguments::argumentsOf(const Value& value) {
    const Opaque* alias = aliasIn(value);
    if (!alias) requireKnown(value);
    return tuple(alias ? alias->parts : Values());
}

} // namespace fx::python
