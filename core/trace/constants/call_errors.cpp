// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/call_errors.h"

namespace fx::trace {
namespace {

/// The operation that an operator of Python calls.
std::string_view spelledName(std::string_view spelled) {
    return spelled == "truediv"    ? "div"
           : spelled == "floordiv" ? "floor_divide"
           : spelled == "mod"      ? "remainder"
                                   : spelled;
}

/// The name of a function of torch; empty for functions of other namespaces, whose arguments may have other places.
std::string_view functionName(const Callable& callable) {
    if (callable.qualifiedName == "torch." + callable.name ||
        callable.qualifiedName == "torch.functional." + callable.name || callable.qualifiedName == "_operator.setitem")
        return callable.name;
    const bool isSame = callable.name == "softmax" || callable.name == "log_softmax";
    return isSame && callable.qualifiedName == "torch.nn.functional." + callable.name ? callable.name
                                                                                      : std::string_view();
}

std::string_view operationOf(const ConstantCall& call) {
    switch (call.kind) {
    case ConstantCall::Kind::Function: return functionName(*call.function->callable);
    case ConstantCall::Kind::Operator: return spelledName(call.spelled);
    case ConstantCall::Kind::Attribute: return {};
    case ConstantCall::Kind::Method: break;
    }
    return call.name;
}

} // namespace

void requirePossible(const ConstantCall& call) {
    const std::string_view name = operationOf(call);
    const TensorCall operands{call.operands, call.kwargs};
    if (name.empty()) {
        const bool isFunctional = call.kind == ConstantCall::Kind::Function &&
                                  call.function->callable->qualifiedName.starts_with("torch.nn.functional.");
        if (isFunctional) requireFunctional(call.function->callable->name, operands);
        return;
    }
    const auto* self = operands.tensor(0);
    const bool isFactory = !self || name == "linspace" || name == "logspace";
    if (isFactory && call.kind == ConstantCall::Kind::Function) return requireFactory(name, operands);
    if (!self || !self->shapeKnown || self->tensor->layout != "torch.strided") return;
    const Sizes& sizes = self->tensor->sizes;
    if (name == "getitem" && call.operands.size() == 2) return requireIndex(sizes, call.operands[1]);
    if (name == "setitem" && call.operands.size() == 3)
        return requireAssignable(sizes, call.operands[1], call.operands[2]);
    const bool writes = name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
    const CheckedCall checked{writes ? name.substr(0, name.size() - 1) : name, operands, sizes,
                              call.kind == ConstantCall::Kind::Method, writes};
    requireOperands(checked);
    requireDimensions(checked);
    if (writes) requireWritable(checked);
}

} // namespace fx::trace
