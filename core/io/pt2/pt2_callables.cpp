// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_callables.h"

#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {
constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
constexpr std::string_view kOperators = "torch.ops.";

constexpr std::array<std::string_view, 43> kHigherOrderNames = {
    "_export_tracepoint", "aoti_call_delegate", "associative_scan", "auto_functionalized", "auto_functionalized_v2",
    "autograd_function_apply", "call_torchbind", "cond", "custom_function_call", "dynamo_bypassing_wrapper",
    "executorch_call_delegate", "flat_apply", "flex_attention", "flex_attention_backward", "foreach_map",
    "graphsafe_run_with_rng_state", "hints_wrapper", "inductor_compiled_code", "inline_asm_elementwise",
    "invoke_leaf_function", "invoke_quant", "invoke_quant_packed", "invoke_subgraph", "local_map_hop", "map_impl", "out_dtype",
    "print", "run_and_save_rng_state", "run_const_graph", "run_dtensor_rng_op", "run_with_rng_state", "scan", "strict_mode",
    "tag_activation_checkpoint", "triton_kernel_wrapper_functional", "triton_kernel_wrapper_mutation", "while_loop",
    "while_loop_stack_output", "with_effects", "wrap", "wrap_activation_checkpoint", "wrap_with_autocast",
    "wrap_with_set_grad_enabled"};

Callable higherOrder(std::string_view target) {
    Callable callable;
    callable.kind = Callable::Kind::HigherOrderOp;
    callable.module = "torch.ops.higher_order";
    callable.name = callable.repr = target.substr(kHigherOrder.size());
    callable.fromTorch = true;
    callable.opaque = !std::binary_search(kHigherOrderNames.begin(), kHigherOrderNames.end(), callable.name);
    return callable;
}

/// `torch.ops.NAMESPACE.NAME.OVERLOAD`, or without the overload a packet.
Callable operatorOf(std::string_view target) {
    Callable callable;
    callable.repr = target.substr(kOperators.size());
    const std::size_t dot = callable.repr.find('.');
    callable.module = "torch._ops." + callable.repr.substr(0, dot);
    callable.name = dot == std::string::npos ? callable.repr : callable.repr.substr(dot + 1);
    callable.fromTorch = true;
    const bool packet = callable.name.find('.') == std::string::npos;
    callable.kind = packet ? Callable::Kind::OpPacket : Callable::Kind::OpOverload;
    callable.opaque = packet ? ops::overloads(target).empty() : !ops::findOperator(target);
    return callable;
}

Callable function(std::string_view target) {
    Callable callable;
    const std::size_t dot = target.rfind('.');
    callable.module = dot == std::string_view::npos ? std::string() : std::string(target.substr(0, dot));
    callable.name = dot == std::string_view::npos ? target : target.substr(dot + 1);
    callable.qualifiedName = target;
    callable.fromTorch = target.starts_with("torch.");
    callable.repr = "<function " + callable.name + " at 0x0>";
    callable.opaque = callable.module != "torch._functorch.predispatch";
    if (const auto known = ops::findFunction(target)) {
        callable.module = known->module();
        callable.name = known->name();
        callable.qualifiedName = known->qualifiedName();
        callable.repr = known->repr();
        callable.fromTorch = known->isFromTorch();
        callable.opaque = false;
    }
    return callable;
}
} // namespace

CallablePtr pt2Callable(std::string_view target) {
    Callable callable = target.starts_with(kHigherOrder) ? higherOrder(target)
                        : target.starts_with(kOperators) ? operatorOf(target)
                                                         : function(target);
    if (callable.qualifiedName.empty()) callable.qualifiedName = target;
    return std::make_shared<const Callable>(std::move(callable));
}

} // namespace fx
