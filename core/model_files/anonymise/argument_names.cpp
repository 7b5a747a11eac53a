// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/anonymise/argument_names.h"

#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"

#include <algorithm>

namespace fx::anonymise {
namespace {

/// The letters of an equation in the order in which they appear: a, b, c ...
std::string canonicalEquation(const std::string& equation) {
    std::string letters, out;
    for (const char c : equation) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!isLetter) {
            out += c;
            continue;
        }
        const std::size_t known = std::min(letters.find(c), letters.size());
        if (known == letters.size()) letters += c;
        out += known < 26 ? static_cast<char>('a' + known) : static_cast<char>('A' + known - 26);
    }
    return out;
}

bool isEquationText(const std::string& text) {
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,.-> ") == text.npos;
}

CallablePtr renamedOperator(const Callable& callable, Names& names) {
    const std::string& full = callable.qualifiedName; // torch.ops.library.name.overload
    std::vector<std::string> atoms;
    for (std::size_t at = 0; at <= full.size();) {
        const std::size_t dot = std::min(full.find('.', at), full.size());
        atoms.push_back(full.substr(at, dot - at));
        at = dot + 1;
    }
    auto out = std::make_shared<Callable>(callable);
    if (atoms.size() < 4) return nullptr;
    const std::string library = names.unlessPublic(atoms[2], NameKind::Library);
    const std::string name = names.unlessPublic(atoms[3], NameKind::Function);
    const std::string overload = atoms.size() > 4 ? "." + names.unlessPublic(atoms[4], NameKind::Function) : "";
    out->module = "torch._ops." + library;
    out->name = name + overload;
    out->qualifiedName = "torch.ops." + library + "." + name + overload;
    out->repr = library + "." + name + overload;
    return out;
}

} // namespace

bool isPublic(const Callable& callable) {
    switch (callable.kind) {
    case Callable::Kind::OpOverload:
    case Callable::Kind::OpPacket: {
        constexpr std::string_view kOps = "torch.ops.";
        const std::string& full = callable.qualifiedName;
        if (!full.starts_with(kOps)) return false;
        const std::string_view rest = std::string_view(full).substr(kOps.size());
        const std::size_t dot = rest.find('.');
        if (dot == rest.npos) return false;
        const std::string name = std::string(rest.substr(0, dot)) + "::" + std::string(rest.substr(dot + 1));
        return callable.kind == Callable::Kind::OpOverload ? ops::findOperator(name).has_value()
                                                           : !ops::overloads(name).empty();
    }
    case Callable::Kind::HigherOrderOp: return true;
    default: break;
    }
    return ops::findFunction(callable.qualifiedName).has_value() ||
           (callable.fromTorch && callable.qualifiedName.starts_with("torch.")) || callable.module == "builtins" ||
           callable.module == "_operator" || callable.module == "math";
}

CallablePtr withoutName(const CallablePtr& callable, Names& names) {
    if (!callable || isPublic(*callable)) return callable;
    names.lacks(callable->module);
    names.lacks(callable->qualifiedName);
    if (callable->kind == Callable::Kind::OpOverload || callable->kind == Callable::Kind::OpPacket)
        if (CallablePtr renamed = renamedOperator(*callable, names)) return renamed;
    auto out = std::make_shared<Callable>();
    const bool isClass = callable->kind == Callable::Kind::Class;
    out->kind = isClass ? Callable::Kind::Class : Callable::Kind::Function;
    out->module = isClass ? "classes" : "functions";
    out->name = names.of(callable->name, isClass ? NameKind::Class : NameKind::Function);
    out->qualifiedName = out->module + "." + out->name;
    out->repr = isClass ? "<class '" + out->qualifiedName + "'>" : "<function " + out->name + " at 0x0>";
    out->opaque = callable->opaque;
    return out;
}

TypePtr withoutNames(const TypePtr& type, Names& names) {
    if (!type || type->kind == TypeExpr::Kind::Text) {
        if (type) names.lacks(type->name);
        return nullptr;
    }
    auto out = std::make_shared<TypeExpr>(*type);
    for (TypePtr& part : out->args) {
        part = withoutNames(part, names);
        if (!part) return nullptr;
    }
    if (type->kind == TypeExpr::Kind::Union) return out;
    const bool isPythons =
        type->module == "builtins" || type->module == "typing" || type->module.starts_with("collections");
    if (isPythons || type->module == "torch" || type->module.starts_with("torch.")) return out;
    names.lacks(type->module), names.lacks(type->name);
    return nullptr;
}

Argument withoutNames(const Argument& argument, Names& names, const std::function<NodeId(NodeId)>& map,
                      bool isEquation) {
    const auto inner = [&](const Argument& part) { return withoutNames(part, names, map, isEquation); };
    if (argument.isNode()) return map(argument.node());
    if (const auto* text = argument.as<std::string>()) {
        if (isEquation && isEquationText(*text)) return canonicalEquation(*text);
        return names.unlessPublic(*text, NameKind::Text);
    }
    if (const auto* bytes = argument.as<Bytes>()) return Bytes{std::string(bytes->data.size(), '\0')};
    if (const auto* sequence = argument.as<Sequence>()) {
        Sequence out{sequence->kind, {}, withoutName(sequence->type, names)};
        for (const Argument& item : sequence->items) out.items.push_back(inner(item));
        return out;
    }
    if (const auto* dict = argument.as<Dict>()) {
        Dict out;
        for (const auto& [key, value] : dict->items) out.items.emplace_back(inner(key), inner(value));
        return out;
    }
    if (const auto* slice = argument.as<Slice>())
        return Slice{inner(slice->start), inner(slice->stop), inner(slice->step)};
    if (const auto* symbol = argument.as<Symbolic>()) return Symbolic{names.size(symbol->expression)};
    if (const auto* value = argument.as<CallableValue>()) return CallableValue{withoutName(value->callable, names)};
    if (const auto* object = argument.as<OpaqueObject>()) {
        names.lacks(object->repr), names.lacks(object->typeName);
        return {};
    }
    if (const auto* member = argument.as<EnumMember>(); member && member->type && !isPublic(*member->type)) {
        names.lacks(member->member), names.lacks(member->repr), names.lacks(member->str);
        return {};
    }
    return argument;
}

} // namespace fx::anonymise
