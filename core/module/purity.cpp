// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/purity.h"

#include "core/ops/catalogue.h"
#include "core/ops/semantics.h"

namespace fx {
namespace {

bool isImpureOverload(std::string_view qualifiedName) {
    const auto op = ops::findOperator(qualifiedName);
    return !op || op->isMutable() || op->isNondeterministicSeeded() || ops::isSideEffectful(qualifiedName);
}

bool isImpureFunction(const Callable& callable, const std::vector<Argument>& args) {
    switch (callable.kind) {
    case Callable::Kind::OpOverload: return isImpureOverload(callable.qualifiedName);
    case Callable::Kind::OpPacket: {
        const std::string byDefault = callable.qualifiedName + ".default";
        return ops::isSideEffectful(callable.qualifiedName) ||
               (ops::findOperator(byDefault) && isImpureOverload(byDefault));
    }
    case Callable::Kind::HigherOrderOp: {
        const auto* wrapped = args.empty() ? nullptr : args[0].as<CallableValue>();
        if (wrapped && callable.name.starts_with("auto_functionalized"))
            return ops::isSideEffectful(wrapped->callable->qualifiedName);
        return ops::isSideEffectful(callable.qualifiedName);
    }
    case Callable::Kind::Function:
    case Callable::Kind::Class: break;
    }
    return ops::isSideEffectful(callable.qualifiedName);
}

bool isImpureModule(const Module& root, std::string_view path) {
    const auto target = resolvePath(root, path);
    if (target.kind != PathTarget::Kind::Module) return false;
    const auto* flag = target.module->setting<bool>("_is_impure");
    return flag && *flag;
}

} // namespace

bool isImpure(const Module& root, const Node& node) {
    switch (node.op()) {
    case Op::Placeholder:
    case Op::Output: return true;
    case Op::CallModule: return isImpureModule(root, node.target());
    case Op::CallFunction: return isImpureFunction(*node.callable(), node.args());
    case Op::GetAttr:
    case Op::CallMethod: break;
    }
    return false;
}

} // namespace fx
