// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/operators/script_operators.h"

#include "core/engine/ivalues.h"
#include "core/engine/outside.h"
#include "core/ops/reach.h"

#include <torch/csrc/jit/runtime/operator.h>

namespace fx::engine {
namespace {

std::shared_ptr<torch::jit::Operator> findScriptOperator(const ops::Operator& known) {
    const auto name =
        c10::Symbol::fromQualString(std::string(known.nameSpace()) + "::" + std::string(known.baseName()));
    for (const auto& each : torch::jit::getAllOperatorsFor(name))
        if (each->schema().overload_name() == known.overload()) return each;
    return nullptr;
}

} // namespace

std::optional<Value> callScriptOperator(std::string_view name, const Arguments& arguments) {
    const auto known = ops::findOperator(name);
    if (!known || !known->isScriptOnly() || known->isVariadic()) return std::nullopt;
    disarmScriptOperators();
    if (!ops::isPure(*known)) InferenceOnly::refuseImpure(name);
    const auto found = findScriptOperator(*known);
    if (!found || !found->hasOperation()) return std::nullopt;
    const c10::FunctionSchema& schema = found->schema();
    torch::jit::Stack stack;
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
        const c10::Argument& declared = schema.arguments()[i];
        const Value* given = arguments.at(i, declared.name());
        if (!given && !declared.default_value()) return std::nullopt;
        stack.push_back(given ? toIValue(*given, declared) : *declared.default_value());
    }
    found->getOperation()(stack);
    if (stack.empty()) return Value();
    return fromIValue(std::move(stack.back()), ResultStyle::Overload, schema.returns()[0].type().get());
}

} // namespace fx::engine
