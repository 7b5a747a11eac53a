// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/mkldnn_modules.h"

#include "core/engine/dispatch.h"

namespace fx::engine {
namespace {

bool hasNoValues(const ModuleCall& m) { return m.tensor("$0").is_meta(); }

/// A tensor of the module in MKL-DNN layout, converted once; `settings` tell apart what `convert` depends on.
Value packed(const ModuleCall& m, std::string_view name, const std::string& settings,
             const std::function<Value(const Value& plain)>& convert = {}) {
    const Module::Slot* slot = m.module().buffer(name);
    if (!slot || !slot->tensor)
        throw runError(Message("engine.module_attribute", {{"class", m.module().qualifiedType()}, {"name", name}}));
    return m.tensors()
        .packed(slot->tensor, "mkldnn " + settings,
                [&]() -> c10::IValue {
                    const Value plain = callMethod("to_mkldnn", {m[name]});
                    return (convert ? convert(plain) : plain).tensor();
                })
        .toTensor();
}

Value linear(const ModuleCall& m) {
    if (hasNoValues(m)) return callFunction("torch._C._nn.linear", {m["$0"], m["weight"], m["bias"]});
    const Value x = m["$0"];
    const bool isDense = !x.tensor().is_mkldnn();
    const Value y = callFunction("torch._C._nn.mkldnn_linear", {isDense ? callMethod("to_mkldnn", {x}) : x,
                                                                packed(m, "weight", ""), packed(m, "bias", "")});
    return isDense ? callMethod("to_dense", {y}) : y;
}

Value convolution(const ModuleCall& m) {
    const Value stride = m["stride"], padding = m["padding"], dilation = m["dilation"], groups = m["groups"];
    if (hasNoValues(m))
        return callFunction("torch.conv2d", {m["$0"], m["weight"], m["bias"], stride, padding, dilation, groups});
    std::string settings;
    for (const char* name : {"stride", "padding", "dilation"})
        for (const std::int64_t number : m.integers(name, 2)) settings += std::to_string(number) + ' ';
    settings += std::to_string(groups.needInteger());
    const Value weight = packed(m, "weight", settings, [&](const Value& plain) {
        return callFunction("torch._C._nn.mkldnn_reorder_conv2d_weight", {plain, padding, stride, dilation, groups});
    });
    return callFunction("torch.mkldnn_convolution",
                        {m["$0"], weight, packed(m, "bias", ""), padding, stride, dilation, groups});
}

Value mkldnnBatchNorm(const ModuleCall& m) {
    const bool dense = hasNoValues(m);
    const auto tensor = [&](std::string_view name) { return dense ? m[name] : packed(m, name, ""); };
    return callFunction("torch.batch_norm",
                        {m["$0"], tensor("weight"), tensor("bias"), tensor("running_mean"), tensor("running_var"),
                         false, m["exponential_average_factor"], m["eps"], false});
}

} // namespace

ModuleForm mkldnnForm(const Module& module) {
    if (module.classModule != "torch.utils.mkldnn") return nullptr;
    if (module.className == "MkldnnLinear") return linear;
    if (module.className == "MkldnnConv2d") return convolution;
    return module.className == "MkldnnBatchNorm" ? mkldnnBatchNorm : nullptr;
}

} // namespace fx::engine
