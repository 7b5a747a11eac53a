// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/qat_modules.h"

#include "core/base/joined_path.h"
#include "core/diag/error.h"
#include "core/module/module_editor.h"
#include "core/passes/fusion/folded_weights.h"
#include "core/quant/module_values.h"

namespace fx::quant {
namespace {

/// The new module: the layer's settings and weights under another class, with a FakeQuantize for the weight.
std::shared_ptr<Module> qatModule(std::string_view type, const Module& module, const QConfigPtr& qconfig,
                                  const std::string& path) {
    const bool isFused = !module.children.empty();
    const Module& layer = isFused ? *module.children.front().module : module;
    const Module* norm = isFused && module.children.size() > 1 ? module.children[1].module.get() : nullptr;
    if (norm && !norm->className.starts_with("BatchNorm")) norm = nullptr;
    auto made = emptyModule(type);
    made->attributes = layer.attributes;
    made->parameters = layer.parameters, made->buffers = layer.buffers;
    if (norm) {
        made->attributes.emplace_back("freeze_bn", Argument(false));
        auto bn = std::make_shared<Module>(*norm);
        bn->training = true;
        made->children.push_back({"bn", std::move(bn)});
    }
    if (layer.className.starts_with("Embedding") &&
        traitsOf(*qconfig->weight).qscheme != "torch.per_channel_affine_float_qparams")
        throw Error(ErrorKind::Refused, Message("quant.embedding_qscheme")).onModule(path);
    made->children.push_back({"weight_fake_quant", makeObserver(*qconfig->weight)});
    if (norm && type.find("Linear") == type.npos)
        made->attributes.emplace_back("_enable_slow_path_for_better_numerical_stability", Argument(false));
    return made;
}

} // namespace

void swapForQat(GraphModule& model, const BackendConfig& backend,
                const std::unordered_map<std::string, QConfigPtr>& qconfigs) {
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> swapped;
    std::vector<std::pair<std::string, const Module*>> open{{"", model.root.get()}};
    while (!open.empty()) {
        const auto [path, module] = open.back();
        open.pop_back();
        for (const Module::Child& child : module->children) {
            if (!child.module) continue;
            const std::string name = joinedPath(path, child.name);
            const std::string_view type = backend.qatOf(child.module->qualifiedType());
            const bool isFused = backend.isFusedModule(child.module->qualifiedType());
            const auto own = qconfigs.find(name);
            const bool isWanted = own != qconfigs.end() && own->second && !type.empty();
            if (!isWanted) {
                if (!isFused) open.emplace_back(name, child.module.get());
                continue;
            }
            // A layer with an activation takes the QConfig of the layer inside.
            const bool hasNorm = child.module->children.size() > 1 &&
                                 child.module->children[1].module->className.starts_with("BatchNorm");
            const auto inner = qconfigs.find(isFused && !hasNorm ? name + ".0" : name);
            swapped.emplace_back(name, qatModule(type, *child.module, inner->second, name));
        }
    }
    ModuleEditor editor(model);
    for (auto& [path, module] : swapped) editor.add(path, std::move(module));
}

std::shared_ptr<Module> floatOfQat(const Module& module, const std::string& path) {
    const std::string& name = module.className;
    const bool isLinear = name.starts_with("Linear"), isEmbedding = name.starts_with("Embedding");
    const std::size_t digit = name.find_first_of("123");
    const std::string dimension = digit == name.npos ? "" : name.substr(digit);
    auto layer = emptyModule(isLinear      ? "torch.nn.modules.linear.Linear"
                             : isEmbedding ? "torch.nn.modules.sparse." + name
                                           : "torch.nn.modules.conv.Conv" + dimension);
    layer->parameters = module.parameters;
    for (const auto& attribute : module.attributes)
        if (attribute.first != "freeze_bn" && !attribute.first.starts_with("_enable_slow"))
            layer->attributes.push_back(attribute);
    if (const Module* norm = module.child("bn")) {
        const NormTensors tensors{norm->tensor("running_mean"), norm->tensor("running_var"), norm->tensor("weight"),
                                  norm->tensor("bias"), numberOf(*norm, "eps", 1e-5)};
        const TensorPtr weight = layer->tensor("weight"), bias = layer->tensor("bias");
        if (!tensors.mean || !tensors.variance || !weight || !canFold(*weight, bias, tensors))
            throw Error(ErrorKind::Refused, Message("quant.weights_dtype")).onModule(path);
        const FoldedWeights folded = foldNorm(isLinear ? FoldableKind::Linear : FoldableKind::Convolution,
                                              integerOf(*layer, "groups").value_or(1), weight, bias, tensors);
        setTensor(*layer, "weight", folded.weight), setTensor(*layer, "bias", folded.bias);
    }
    if (name.find("ReLU") == name.npos) return layer;
    auto fused = emptyModule("torch.ao.nn.intrinsic.modules.fused." +
                             (isLinear ? std::string("LinearReLU") : "ConvReLU" + dimension));
    auto relu = emptyModule("torch.nn.modules.activation.ReLU");
    relu->attributes.emplace_back("inplace", Argument(false));
    fused->children.push_back({"0", std::move(layer)}), fused->children.push_back({"1", std::move(relu)});
    return fused;
}

} // namespace fx::quant
