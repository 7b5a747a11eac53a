// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/quantised_part.h"

#include "core/base/joined_path.h"
#include "core/make/observer_spec.h"

namespace fx::quant {
namespace {

bool isQuantisedCall(const Node& node) {
    if (node.op() == Op::CallMethod) return node.target() == "dequantize" || node.target() == "int_repr";
    if (node.op() != Op::CallFunction) return false;
    const std::string& target = node.target();
    return target.starts_with("torch.quantize_per_") || target.starts_with("torch.ops.quantized.") ||
           target.starts_with("torch.ops.quantized_decomposed.") || target.starts_with("torch.ops.onednn.q");
}

bool isQuantisedModule(const Module& module) {
    // It computes in floating point, so that it can be quantised.
    if (module.className == "FloatFunctional" || module.className == "FXFloatFunctional") return false;
    return module.classModule.starts_with("torch.ao.nn.quantized") ||
           module.classModule.starts_with("torch.ao.nn.intrinsic.quantized") ||
           module.classModule.starts_with("torch.ao.nn.qat") ||
           module.classModule.starts_with("torch.ao.nn.intrinsic.qat") || isObserver(module);
}

} // namespace

std::optional<QuantisedPart> quantisedPart(const GraphModule& model) {
    for (const Node& node : model.graph.nodes())
        if (isQuantisedCall(node)) return QuantisedPart{node.name(), {}};
    std::optional<QuantisedPart> found;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        if (found) return;
        if (isQuantisedModule(module)) found = QuantisedPart{{}, path};
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const auto& slot : *slots)
                if (!found && slot.tensor && slot.tensor->quantizer)
                    found = QuantisedPart{{}, joinedPath(path, slot.name)};
    });
    return found;
}

} // namespace fx::quant
