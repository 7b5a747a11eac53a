// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/purity.h"

#include "core/ops/catalogue.h"

#include <unordered_set>

namespace fx {
namespace {

/// torch.fx `_side_effectful_functions`, the operators with an ordered effect and the Python functions that draw
/// numbers.
bool isEffectful(std::string_view qualifiedName) {
    static const std::unordered_set<std::string_view> kNames = {
        "_operator.setitem",
        "torch._C._set_grad_enabled",
        "torch._assert",
        "torch._assert_async",
        "torch._functorch.predispatch._enter_dual_level",
        "torch._functorch.predispatch._exit_dual_level",
        "torch._functorch.predispatch._jvp_decrement_nesting",
        "torch._functorch.predispatch._jvp_increment_nesting",
        "torch.amp.autocast_mode._enter_autocast",
        "torch.amp.autocast_mode._exit_autocast",
        "torch.ops.aten._assert_async.msg",
        "torch.ops.aten._assert_scalar.default",
        "torch.ops.aten._assert_tensor_metadata.default",
        "torch.ops.aten._linalg_check_errors.default",
        "torch.ops.aten._print.default",
        "torch.ops.aten.sym_constrain_range.default",
        "torch.ops.aten.sym_constrain_range_for_size.default",
        "torch.ops.higher_order.call_torchbind",
        "torch.ops.higher_order.invoke_leaf_function",
        "torch.ops.higher_order.print",
        "torch.ops.inductor.accumulate_grad_.default",
        "torch.ops.inductor.resize_storage_bytes_.default",
        "torch.ops.prims._sink_tokens.default",
        "torch.ops.profiler._record_function_enter",
        "torch.ops.profiler._record_function_enter.default",
        "torch.ops.profiler._record_function_enter_new",
        "torch.ops.profiler._record_function_enter_new.default",
        "torch.ops.profiler._record_function_exit",
        "torch.ops.profiler._record_function_exit._RecordFunction",
        "torch.bernoulli",
        "torch.multinomial",
        "torch.normal",
        "torch.poisson",
        "torch.rand",
        "torch.rand_like",
        "torch.randint",
        "torch.randint_like",
        "torch.randn",
        "torch.randn_like",
        "torch.randperm",
    };
    return kNames.contains(qualifiedName);
}

bool isImpureOverload(std::string_view qualifiedName) {
    const auto op = ops::findOperator(qualifiedName);
    return !op || op->isMutable() || op->isNondeterministicSeeded() || isEffectful(qualifiedName);
}

bool isImpureFunction(const Callable& callable, const std::vector<Argument>& args) {
    switch (callable.kind) {
    case Callable::Kind::OpOverload: return isImpureOverload(callable.qualifiedName);
    case Callable::Kind::OpPacket: {
        const std::string byDefault = callable.qualifiedName + ".default";
        return isEffectful(callable.qualifiedName) || (ops::findOperator(byDefault) && isImpureOverload(byDefault));
    }
    case Callable::Kind::HigherOrderOp: {
        const auto* wrapped = args.empty() ? nullptr : args[0].as<CallableValue>();
        if (wrapped && callable.name.starts_with("auto_functionalized"))
            return isEffectful(wrapped->callable->qualifiedName);
        return isEffectful(callable.qualifiedName);
    }
    case Callable::Kind::Function:
    case Callable::Kind::Class: break;
    }
    return isEffectful(callable.qualifiedName);
}

bool isImpureModule(const Module& root, std::string_view path) {
    const auto target = resolvePath(root, path);
    if (target.kind != PathTarget::Kind::Module) return false;
    const auto* attribute = target.module->attribute("_is_impure");
    const auto* value = attribute ? std::get_if<Argument>(attribute) : nullptr;
    const bool* flag = value ? value->as<bool>() : nullptr;
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
