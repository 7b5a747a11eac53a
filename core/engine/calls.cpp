// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"

#include "core/engine/dispatch.h"
#include "core/engine/outside.h"
#include "core/ops/python_functions.h"

namespace fx::engine {
namespace {

std::string nearFunctions(std::string_view name) {
    const std::string_view base = name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
    std::string text;
    for (const char* prefix : {"torch.", "torch.nn.functional.", "torch.Tensor.", "torch.ops.aten."}) {
        const std::string candidate = prefix + std::string(base);
        if (candidate != name && ops::findFunction(candidate)) text += (text.empty() ? "" : ", ") + candidate;
    }
    return text;
}

[[noreturn]] void refuse(std::string_view name) {
    const std::string similar = nearFunctions(name);
    if (similar.empty()) throw runError(Message("engine.source_only", {{"name", name}}));
    throw runError(Message("engine.unsupported_function", {{"name", name}, {"similar", similar}}));
}

/// What has a table or a binding under exactly this name.
std::optional<Value> tryFunction(std::string_view name, Arguments& arguments) {
    if (const CallForm function = operatorFunction(name)) return function(arguments);
    if (const CallForm function = torchFunction(name)) {
        dependsOnMore() = true;
        return function(arguments);
    }
    Value result;
    if (callFunctional(name, arguments, result)) return result;
    if (hasSignatures(name)) return callSignatures(name, nullptr, arguments);
    return callNumberFunction(name, arguments);
}

/// Another name for the same function, and functions that choose between two others.
std::optional<Value> tryKnown(std::string_view name, Arguments& arguments) {
    const auto known = ops::findFunction(name);
    if (!known) return std::nullopt;
    for (const std::string_view other : {known->qualifiedName(), known->path()})
        if (other != name)
            if (auto result = tryFunction(other, arguments)) return result;
    if (name.starts_with("torch.Tensor.")) return callMethod(name.substr(13), arguments);
    if (known->behaviour() != ops::PythonFunction::Behaviour::Select) return std::nullopt;
    const auto branches = known->branches();
    const Value* flag = arguments.at(branches.index, branches.name);
    return tryFunction((flag ? truthOf(*flag) : branches.defaultValue) ? branches.ifTrue : branches.ifFalse, arguments);
}

} // namespace

Value callFunction(std::string_view name, Arguments arguments) {
    if (name.starts_with("torch.ops.")) {
        const std::string_view rest = name.substr(10);
        const bool overload = std::count(rest.begin(), rest.end(), '.') > 1;
        return overload ? callOperator(name, std::move(arguments)) : callPacket(name, arguments);
    }
    if (auto result = tryFunction(name, arguments)) return *result;
    if (auto result = tryKnown(name, arguments)) return *result;
    refuseOutside(name);
    refuse(name);
}

} // namespace fx::engine
