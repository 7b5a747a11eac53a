// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/callables.h"

#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {
constexpr std::string_view kOps = "torch.ops.";
constexpr std::string_view kHigherOrder = "higher_order.";

/// What PyTorch 2.13 has under torch.ops.higher_order, sorted.
constexpr std::array<std::string_view, 43> kHigherOrderNames = {"_export_tracepoint",
                                                                "aoti_call_delegate",
                                                                "associative_scan",
                                                                "auto_functionalized",
                                                                "auto_functionalized_v2",
                                                                "autograd_function_apply",
                                                                "call_torchbind",
                                                                "cond",
                                                                "custom_function_call",
                                                                "dynamo_bypassing_wrapper",
                                                                "executorch_call_delegate",
                                                                "flat_apply",
                                                                "flex_attention",
                                                                "flex_attention_backward",
                                                                "foreach_map",
                                                                "graphsafe_run_with_rng_state",
                                                                "hints_wrapper",
                                                                "inductor_compiled_code",
                                                                "inline_asm_elementwise",
                                                                "invoke_leaf_function",
                                                                "invoke_quant",
                                                                "invoke_quant_packed",
                                                                "invoke_subgraph",
                                                                "local_map_hop",
                                                                "map_impl",
                                                                "out_dtype",
                                                                "print",
                                                                "run_and_save_rng_state",
                                                                "run_const_graph",
                                                                "run_dtensor_rng_op",
                                                                "run_with_rng_state",
                                                                "scan",
                                                                "strict_mode",
                                                                "tag_activation_checkpoint",
                                                                "triton_kernel_wrapper_functional",
                                                                "triton_kernel_wrapper_mutation",
                                                                "while_loop",
                                                                "while_loop_stack_output",
                                                                "with_effects",
                                                                "wrap",
                                                                "wrap_activation_checkpoint",
                                                                "wrap_with_autocast",
                                                                "wrap_with_set_grad_enabled"};

/// torch.fx `_torch_but_not_dynamo`: torch and its modules, apart from torch._dynamo and torch._inductor.
bool isTorchModule(std::string_view module) {
    if (module == "torch") return true;
    return module.starts_with("torch.") && module.find("._dynamo.") == std::string_view::npos &&
           module.find("._inductor.") == std::string_view::npos;
}

std::string beforeLastDot(std::string_view text) {
    const auto dot = text.rfind('.');
    return dot == std::string_view::npos ? std::string() : std::string(text.substr(0, dot));
}
std::string_view afterLastDot(std::string_view text) { return text.substr(text.rfind('.') + 1); }

/// torch.ops.NAMESPACE.NAME[.OVERLOAD]; known or not, the form tells what it is.
Callable operatorCallable(std::string_view dotted) {
    const std::string_view rest = dotted.substr(kOps.size());
    Callable callable;
    callable.qualifiedName = dotted;
    callable.fromTorch = true;
    callable.repr = rest;
    if (rest.starts_with(kHigherOrder)) {
        callable.kind = Callable::Kind::HigherOrderOp;
        callable.module = "torch.ops.higher_order";
        callable.name = rest.substr(rest.find('.') + 1);
        callable.repr = callable.name;
        return callable;
    }
    const auto dots = std::count(rest.begin(), rest.end(), '.');
    callable.kind = dots >= 2 ? Callable::Kind::OpOverload : Callable::Kind::OpPacket;
    callable.module = "torch._ops." + std::string(rest.substr(0, rest.find('.')));
    callable.name = rest.substr(rest.find('.') + 1);
    return callable;
}

Callable tableCallable(const ops::PythonFunction& function) {
    Callable callable;
    const auto kind = function.kind();
    callable.kind = kind == ops::PythonFunction::Kind::Class      ? Callable::Kind::Class
                    : kind == ops::PythonFunction::Kind::Operator ? Callable::Kind::HigherOrderOp
                                                                  : Callable::Kind::Function;
    callable.module = function.module();
    callable.name = function.name();
    callable.qualifiedName = function.qualifiedName();
    callable.repr = function.repr();
    callable.fromTorch = function.isFromTorch();
    return callable;
}

Callable unknownCallable(std::string_view dotted) {
    Callable callable;
    callable.opaque = true;
    callable.module = beforeLastDot(dotted);
    callable.name = afterLastDot(dotted);
    callable.qualifiedName = dotted;
    callable.fromTorch = isTorchModule(callable.module);
    const bool isClass =
        !callable.name.empty() && callable.name[0] >= 'A' && callable.name[0] <= 'Z'; // by the usual way to name them
    callable.repr = isClass ? "<class '" + callable.qualifiedName + "'>" : "<function " + callable.name + " at 0x0>";
    return callable;
}

/// "aten.add.Tensor" as "torch.ops.aten.add.Tensor", when such an operator is registered.
std::string asOperator(std::string_view dotted) {
    const auto dot = dotted.find('.');
    if (dot == std::string_view::npos) return {};
    std::string schema = std::string(dotted.substr(0, dot)) + "::" + std::string(dotted.substr(dot + 1));
    if (schema.ends_with(".default")) schema.resize(schema.size() - 8);
    const bool known = ops::findOperator(schema).has_value() || !ops::overloads(schema).empty();
    return known ? std::string(kOps) + std::string(dotted) : std::string();
}
} // namespace

CallablePtr resolveCallable(std::string_view dotted) {
    if (dotted.starts_with(kOps)) return std::make_shared<const Callable>(operatorCallable(dotted));
    if (const auto function = ops::findFunction(dotted))
        return std::make_shared<const Callable>(tableCallable(*function));
    if (dotted.find('.') == std::string_view::npos) {
        if (const auto builtin = ops::findFunction("builtins." + std::string(dotted)))
            return std::make_shared<const Callable>(tableCallable(*builtin));
    }
    if (const std::string op = asOperator(dotted); !op.empty())
        return std::make_shared<const Callable>(operatorCallable(op));
    return std::make_shared<const Callable>(unknownCallable(dotted));
}

bool isKnownCallable(std::string_view dotted) {
    if (!dotted.starts_with(kOps)) return !resolveCallable(dotted)->opaque;
    const std::string_view rest = dotted.substr(kOps.size());
    if (rest.starts_with(kHigherOrder))
        return std::binary_search(kHigherOrderNames.begin(), kHigherOrderNames.end(), rest.substr(kHigherOrder.size()));
    const bool packet = std::count(rest.begin(), rest.end(), '.') < 2;
    return packet ? !ops::overloads(dotted).empty() : ops::findOperator(dotted).has_value();
}

} // namespace fx
