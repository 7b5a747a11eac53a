// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/semantics.h"

#include "core/base/one_of.h"
#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <array>

namespace fx::ops {
namespace {

using Test = Condition::Test;

/// `relu_`, but not `__iadd__` or `_private_helper__`.
bool hasInPlaceName(std::string_view name) { return name.size() > 1 && name.ends_with('_') && !name.ends_with("__"); }

/// Operators of Python by the names of the module operator, and what PyTorch calls them; "" for those that are no
/// operators on tensors.
struct PythonOperator {
    std::string_view name, torchName;
};
constexpr std::array<PythonOperator, 19> kOperators = {{{"add", "add"},
                                                        {"and", "bitwise_and"},
                                                        {"concat", "concat"},
                                                        {"floordiv", "floor_divide"},
                                                        {"invert", "bitwise_not"},
                                                        {"inv", "bitwise_not"},
                                                        {"lshift", "bitwise_left_shift"},
                                                        {"matmul", "matmul"},
                                                        {"mod", "remainder"},
                                                        {"mul", "mul"},
                                                        {"or", "bitwise_or"},
                                                        {"pos", "positive"},
                                                        {"pow", "pow"},
                                                        {"rshift", "bitwise_right_shift"},
                                                        {"sub", "sub"},
                                                        {"truediv", "div"},
                                                        {"div", "div"},
                                                        {"xor", "bitwise_xor"},
                                                        {"not", "logical_not"}}};

/// A name taken apart: "iadd" and "__iadd__" are "add" in place.
struct BaseName {
    std::string name;
    bool isInPlace = false;
};

std::string_view torchNameOf(std::string_view pythonOperator) {
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](const PythonOperator& each) { return each.name == pythonOperator; });
    return found == kOperators.end() ? std::string_view() : found->torchName;
}

/// Of a function of the module operator, without underscores: "iadd", "and_", "getitem".
BaseName pythonOperator(std::string_view name) {
    if (name.ends_with('_')) name.remove_suffix(1);
    if (const auto plain = torchNameOf(name); !plain.empty()) return {std::string(plain), false};
    if (name.starts_with('i'))
        if (const auto written = torchNameOf(name.substr(1)); !written.empty()) return {std::string(written), true};
    return {std::string(name), name == "setitem" || name == "delitem"};
}

BaseName torchName(std::string_view name) {
    if (name.size() > 4 && name.starts_with("__") && name.ends_with("__")) {
        const BaseName special = pythonOperator(name.substr(2, name.size() - 4));
        return special;
    }
    if (!hasInPlaceName(name)) return {std::string(name), false};
    return {std::string(name.substr(0, name.size() - 1)), true};
}

ParameterPlace placeOf(std::size_t position, bool keywordOnly, std::string_view name) {
    return {keywordOnly ? ParameterPlace::kKeywordOnly : static_cast<int>(position), {std::string(name)}};
}

/// The first argument, by the names that PyTorch's parser takes for it.
ParameterPlace firstArgument() { return {0, {"input", "self", "tensor", "x", "a", "x1"}}; }

bool isView(const Argument& argument) { return !argument.isWritten() && argument.type().starts_with("Tensor("); }

/// Whether some operator of that name has the property; most names have several overloads.
template<class Predicate> bool anyOverload(std::string_view name, Predicate predicate) {
    const auto all = overloads("aten::" + std::string(name));
    return std::any_of(all.begin(), all.end(), predicate);
}

void addParameter(std::vector<ParameterPlace>& places, ParameterPlace place) {
    const auto same = [&](const ParameterPlace& each) {
        return each.position == place.position && each.names == place.names;
    };
    if (std::none_of(places.begin(), places.end(), same)) places.push_back(std::move(place));
}

void addWritten(OperatorSemantics& out, WrittenParameter written) {
    const auto same = [&](const WrittenParameter& each) {
        return each.place.position == written.place.position && each.place.names == written.place.names;
    };
    if (std::none_of(out.written.begin(), out.written.end(), same)) out.written.push_back(std::move(written));
}

/// What the schemas of one overload, or of all that a packet may choose, say.
void addSchemas(OperatorSemantics& out, const std::vector<Operator>& rows) {
    for (const Operator& op : rows) {
        std::size_t position = 0;
        for (const Argument argument : op.arguments()) {
            const ParameterPlace place = placeOf(position++, argument.isKeywordOnly(), argument.name());
            if (argument.isWritten()) addWritten(out, {place, {}});
            else if (isView(argument)) addParameter(out.aliased, place);
        }
        out.changesSizes |= op.hasTag(Tag::inplaceView);
        out.isRandom |= op.isNondeterministicSeeded();
    }
}

/// Parameters that decide, where the operator has them: of its schema, or of its Python signature.
struct Signature {
    std::vector<ParameterPlace> places;
    std::vector<std::string> defaults;

    explicit Signature(const std::vector<Operator>& rows) {
        if (rows.empty()) return;
        std::size_t position = 0;
        for (const Argument argument : rows.front().arguments()) {
            places.push_back(placeOf(position++, argument.isKeywordOnly(), argument.name()));
            defaults.emplace_back(argument.defaultValue());
        }
    }
    explicit Signature(const std::vector<Parameter>& parameters) {
        std::size_t position = 0;
        for (const Parameter& parameter : parameters) {
            places.push_back(placeOf(position++, parameter.kind == Parameter::Kind::KeywordOnly, parameter.name));
            defaults.emplace_back(parameter.defaultValue);
        }
    }
    /// Always, when there is no such parameter.
    Condition condition(Test test, std::initializer_list<std::string_view> names) const {
        for (std::size_t i = 0; i < places.size(); ++i)
            for (const std::string_view name : names)
                if (places[i].names.front() == name)
                    return {test, places[i],
                            test == Test::IsTrue      ? defaults[i] == "True"
                            : test == Test::IsNotNone ? !isOneOf(defaults[i], {"", "None"})
                                                      : !isOneOf(defaults[i], {"", "0", "0.", "0.0"})};
        return {};
    }
    const ParameterPlace* find(std::string_view name) const {
        const auto found = std::find_if(places.begin(), places.end(),
                                        [&](const ParameterPlace& each) { return each.names.front() == name; });
        return found == places.end() ? nullptr : &*found;
    }
};

/// Statistics and tables that operators write to although their schemas do not say so.
void addState(OperatorSemantics& out, const Signature& signature) {
    const bool usesStatistics = out.name.find("batch_norm") != out.name.npos || out.name == "instance_norm";
    const Condition training = signature.condition(Test::IsTrue, {"training", "use_input_stats"});
    if (usesStatistics && training.test != Test::Always)
        for (const char* name : {"running_mean", "running_var"})
            if (const ParameterPlace* place = signature.find(name)) addWritten(out, {*place, training});
    const Condition renorms = signature.condition(Test::IsNotNone, {"max_norm"});
    if (isOneOf(out.name, {"embedding", "embedding_bag"}) && renorms.test != Test::Always)
        if (const ParameterPlace* place = signature.find("weight")) addWritten(out, {*place, renorms});
}

/// What holds for every spelling of a name.
void addTraits(OperatorSemantics& out, const Signature& signature) {
    const OperatorTraits& traits = traitsOf(out.name);
    out.cost = traits.cost;
    out.keepsShape = traits.keepsShape;
    out.isPointwise = ops::isPointwise(out.name);
    if (traits.keepsValues && !out.written.empty() && out.written.front().place.position == 0) {
        addParameter(out.aliased, out.written.front().place);
        out.written.clear();
    }
    if (traits.mayBeItsInput && out.aliased.empty()) out.aliased.push_back(firstArgument());
    out.isRandom |= traits.isRandom;
    if (!out.isRandom) return;
    out.randomIf = signature.condition(Test::IsTrue, {"training", "train"});
    if (out.randomIf.test == Test::Always) out.randomIf = signature.condition(Test::IsNotZero, {"dropout_p"});
}

/// A function of PyTorch, of the module operator or a method, whose calls choose among overloads.
void addByName(OperatorSemantics& out, const BaseName& base, const Signature& signature) {
    const auto random = [](const Operator& op) { return op.isNondeterministicSeeded(); };
    const auto views = [](const Operator& op) {
        const ArgumentRange arguments = op.arguments();
        return std::any_of(arguments.begin(), arguments.end(), isView);
    };
    out.name = base.name;
    out.isKnown = anyOverload(base.name, [](const Operator&) { return true; });
    ParameterPlace first = firstArgument();
    if (!signature.places.empty() && signature.places[0].position == 0)
        first.names.push_back(signature.places[0].names[0]);
    if (base.isInPlace) addWritten(out, {first, {}});
    if (const auto inplace = signature.condition(Test::IsTrue, {"inplace"}); inplace.test != Test::Always)
        addWritten(out, {first, inplace});
    if (base.name != "setitem") addWritten(out, {{ParameterPlace::kKeywordOnly, {"out"}}, {}});
    if (anyOverload(base.name, views)) out.aliased.push_back(first);
    out.isRandom = anyOverload(base.name, random) || anyOverload(base.name + "_", random);
    out.changesSizes =
        base.isInPlace && anyOverload(base.name + "_", [](const Operator& op) { return op.hasTag(Tag::inplaceView); });
}

std::string_view withoutPrefix(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

/// The overload, or all overloads of the packet, that a name stands for; empty when it is no operator's.
std::vector<Operator> operatorsOf(std::string_view name) {
    const bool isPath = name.starts_with("torch.ops.");
    const std::string_view rest = withoutPrefix(name, "torch.ops.");
    const bool hasColons = rest.find("::") != rest.npos;
    if (!isPath && !hasColons && !rest.starts_with("aten.") && !rest.starts_with("prims.")) return {};
    const bool hasOverload = std::count(rest.begin(), rest.end(), '.') == (hasColons ? 1 : 2);
    if (!hasOverload) return overloads(rest);
    const auto found = findOperator(rest);
    return found ? std::vector{*found} : std::vector<Operator>{};
}

bool isOfTorch(std::string_view name) {
    return name.starts_with("torch.") && !name.starts_with("torch.ops.") && !name.starts_with("torch.classes.");
}

BaseName baseNameOf(const Operator& op) {
    BaseName base = torchName(op.baseName());
    if (op.nameSpace() != "aten" && op.nameSpace() != "prims")
        base.name = std::string(op.nameSpace()) + "::" + base.name;
    return base;
}

BaseName baseNameOf(std::string_view qualifiedName) {
    for (const std::string_view prefix : {"_operator.", "operator."})
        if (qualifiedName.starts_with(prefix)) return pythonOperator(qualifiedName.substr(prefix.size()));
    if (qualifiedName == "builtins.getattr" || qualifiedName == "getattr") return {"getattr", false};
    if (isOfTorch(qualifiedName) || qualifiedName.starts_with("Tensor."))
        return torchName(qualifiedName.substr(qualifiedName.rfind('.') + 1));
    return {std::string(qualifiedName), false};
}

} // namespace

Given GivenArguments::at(const ParameterPlace& place) const {
    if (place.position >= 0 && static_cast<std::size_t>(place.position) < positional.size())
        return positional[static_cast<std::size_t>(place.position)];
    for (const auto& [name, value] : named)
        if (std::find(place.names.begin(), place.names.end(), name) != place.names.end()) return value;
    return Given::Nothing;
}

bool Condition::holds(const GivenArguments& call) const {
    if (test == Test::Always) return true;
    const Given given = call.at(of);
    if (given == Given::Nothing) return byDefault;
    if (test == Test::IsNotNone) return given != Given::None;
    return given == Given::Other;
}

OperatorSemantics semanticsOfFunction(std::string_view qualifiedName) {
    OperatorSemantics out;
    out.hasEffect = isSideEffectful(qualifiedName);
    if (const auto rows = operatorsOf(qualifiedName); !rows.empty()) {
        out.name = baseNameOf(rows.front()).name;
        out.isKnown = true;
        addSchemas(out, rows);
        addState(out, Signature(rows));
        addTraits(out, Signature(rows));
        return out;
    }
    const BaseName base = baseNameOf(qualifiedName);
    const bool isOperator = qualifiedName.starts_with("_operator.") || qualifiedName.starts_with("operator.");
    if (!isOperator && base.name != "getattr" && !isOfTorch(qualifiedName) && !qualifiedName.starts_with("Tensor.")) {
        out.name = base.name;
        if (hasInPlaceName(qualifiedName)) addWritten(out, {firstArgument(), {}});
        return out;
    }
    const auto function = isOperator ? std::nullopt : findFunction(qualifiedName);
    const Signature signature(function ? function->parameters() : std::vector<Parameter>());
    addByName(out, base, signature);
    addState(out, signature.places.empty() ? Signature(overloads("aten::" + base.name)) : signature);
    addTraits(out, signature.places.empty() ? Signature(overloads("aten::" + base.name)) : signature);
    return out;
}

bool isPointwise(std::string_view name) {
    return anyOverload(name, [](const Operator& op) { return op.hasTag(Tag::pointwise); });
}

OperatorSemantics semanticsOfMethod(std::string_view name) {
    return semanticsOfFunction("torch.Tensor." + std::string(name));
}

std::string canonicalName(std::string_view qualifiedName) {
    const auto rows = operatorsOf(qualifiedName);
    return rows.empty() ? baseNameOf(qualifiedName).name : baseNameOf(rows.front()).name;
}

} // namespace fx::ops
