// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/conversion/lowered_modules.h"

#include "core/make/observer_tensors.h"
#include "core/quant/module_values.h"
#include "core/tensor/elements.h"

#include <algorithm>

namespace fx::quant {
namespace {

Argument scaleOf(const QParams& output) { return elementValues(*output.scale).at(0); }
Argument zeroPointOf(const QParams& output) {
    return static_cast<std::int64_t>(elementValues(*output.zeroPoint).at(0));
}

void copyAttributes(const Module& from, Module& to, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
        if (const auto* value = from.attribute(name)) to.attributes.emplace_back(name, *value);
}

std::string constantOf(const Module& module, const std::string& name) {
    const Argument* value = module.setting(name);
    const auto* constant = value ? value->as<TorchConstant>() : nullptr;
    return constant ? constant->name : std::string();
}

void addBias(Module& holder, const Module& reference, const std::string& name, const std::string& attribute) {
    if (const TensorPtr bias = reference.tensor(name)) holder.attributes.emplace_back(attribute, bias);
    else holder.attributes.emplace_back(attribute, Argument());
}
void addBias(Module& holder, const Module& reference) { addBias(holder, reference, "bias", "bias"); }

constexpr std::string_view kFloat16 = "torch.float16"; ///< weights of these are packed without scales

/// Adds `scale` and `zero_point` as buffers: torch.tensor(float(scale)) and torch.tensor(int(zero_point)).
void addOutputBuffers(Module& module, const QParams& output) {
    module.buffers.push_back({"scale", floatTensor({elementValues(*output.scale).at(0)}, {}), true});
    const auto zeroPoint = static_cast<std::int64_t>(elementValues(*output.zeroPoint).at(0));
    module.buffers.push_back({"zero_point", intTensor({zeroPoint}, {}, DType::Int64), true});
}

} // namespace

void LoweredModules::addQuantised(const std::shared_ptr<Module>& holder, const std::string& name, QuantizeJob job) {
    holder->attributes.emplace_back(name, job.tensor);
    m_pending.push_back({holder, name, std::move(job), {}});
}

void LoweredModules::addWeight(const std::shared_ptr<Module>& holder, const std::string& attribute,
                               const Module& reference, const std::string& name) {
    QuantizeJob job;
    job.tensor = reference.tensor(name);
    job.qparams = {reference.tensor(name + "_scale"), reference.tensor(name + "_zero_point")};
    job.dtype = constantOf(reference, name + "_dtype"), job.qscheme = constantOf(reference, name + "_qscheme");
    job.axis = integerOf(reference, name + "_axis_int").value_or(0);
    if (job.tensor) addQuantised(holder, attribute, std::move(job));
}

void LoweredModules::addPackedLinear(Module& holder, const Module& layer) {
    auto packed = emptyModule("torch.ao.nn.quantized.modules.linear.LinearPackedParams");
    packed->attributes.emplace_back("dtype", Argument::dtype(constantOf(layer, "weight_dtype")));
    addWeight(packed, "weight", layer), addBias(*packed, layer);
    holder.children.push_back({"_packed_params", std::move(packed)});
}

std::shared_ptr<Module> LoweredModules::make(std::string_view type, const Module& reference, const QParams& output) {
    const bool isFused = !reference.children.empty();
    const Module& layer = isFused ? *reference.children.front().module : reference;
    auto made = emptyModule(type);
    if (layer.className == "Linear") {
        copyAttributes(layer, *made, {"in_features", "out_features"});
        made->attributes.emplace_back("scale", scaleOf(output));
        made->attributes.emplace_back("zero_point", zeroPointOf(output));
        if (made->className == "LinearLeakyReLU")
            if (const auto* slope = reference.children.back().module->attribute("negative_slope"))
                made->attributes.emplace_back("negative_slope", *slope);
        addPackedLinear(*made, layer);
        return made;
    }
    copyAttributes(layer, *made,
                   {"in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "transposed",
                    "output_padding", "groups", "padding_mode"});
    addWeight(made, "weight", layer), addBias(*made, layer);
    made->attributes.emplace_back("scale", scaleOf(output));
    made->attributes.emplace_back("zero_point", zeroPointOf(output));
    return made;
}

std::shared_ptr<Module> LoweredModules::makeDynamic(std::string_view type, const Module& reference) {
    const bool isFused = !reference.children.empty();
    const Module& layer = isFused ? *reference.children.front().module : reference;
    if (layer.className != "Linear") return makeRecurrent(type, layer);
    auto made = emptyModule(type);
    copyAttributes(layer, *made, {"in_features", "out_features"});
    made->attributes.emplace_back("scale", Argument(1.0));
    made->attributes.emplace_back("zero_point", Argument(0));
    made->attributes.emplace_back("version", Argument(4));
    addPackedLinear(*made, layer);
    return made;
}

/// One of the two linear layers in a recurrent one; `part`: "ih_l0".
std::shared_ptr<Module> LoweredModules::packedPart(const Module& layer, const std::string& part) {
    auto packed = emptyModule("__torch__.torch.classes.quantized.LinearPackedParamsBase");
    packed->training = false;
    addWeight(packed, "weight", layer, "weight_" + part), addBias(*packed, layer, "bias_" + part, "bias");
    return packed;
}

/// What one layer and direction computes with: quantized::make_quantized_cell_params_dynamic.
std::shared_ptr<Module> LoweredModules::packedCell(const Module& layer, const std::string& suffix) {
    auto cell = emptyModule("__torch__.torch.classes.rnn.CellParamsBase");
    cell->training = false;
    for (const std::string name : {"bias_ih", "bias_hh"}) addBias(*cell, layer, name + suffix, name);
    cell->attributes.emplace_back("reduce_range", Argument(true));
    for (const std::string part : {"ih", "hh"})
        cell->children.push_back({"weight_" + part, packedPart(layer, part + suffix)});
    return cell;
}

std::shared_ptr<Module> LoweredModules::makeRecurrent(std::string_view type, const Module& layer) {
    auto made = emptyModule(type);
    if (layer.className.ends_with("Cell")) {
        copyAttributes(layer, *made, {"input_size", "hidden_size", "bias"});
        made->attributes.emplace_back("weight_dtype", Argument::dtype(constantOf(layer, "weight_ih_dtype")));
        for (const std::string name : {"bias_ih", "bias_hh"}) addBias(*made, layer, name, name);
        const bool isHalf = constantOf(layer, "weight_ih_dtype") == kFloat16;
        for (const std::string part : {"ih", "hh"}) {
            if (isHalf) addWeight(made, "weight_" + part, layer, "weight_" + part);
            else made->children.push_back({"_packed_weight_" + part, packedPart(layer, part)});
        }
        copyAttributes(layer, *made, {"nonlinearity"});
        return made;
    }
    made->training = false;
    copyAttributes(
        layer, *made,
        {"mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional"});
    made->attributes.emplace_back("dtype", Argument::dtype(constantOf(layer, "weight_ih_l0_dtype")));
    made->attributes.emplace_back("version", Argument(2));
    auto list = emptyModule("torch.nn.modules.container.ModuleList");
    for (const auto& slot : layer.parameters) { // each layer and direction has one packed cell
        if (!slot.name.starts_with("weight_ih_l")) continue;
        const std::string suffix = slot.name.substr(std::string_view("weight_ih").size());
        if (constantOf(layer, "weight_ih_l0_dtype") != kFloat16) {
            auto parameter = emptyModule("torch.ao.nn.quantized.dynamic.modules.rnn.PackedParameter");
            parameter->children.push_back({"param", packedCell(layer, suffix)});
            list->children.push_back({std::to_string(list->children.size()), std::move(parameter)});
            continue;
        }
        auto cell = emptyModule("torch.ao.nn.quantized.dynamic.modules.rnn.PackedParameter");
        for (const std::string name : {"weight_ih", "weight_hh"}) addWeight(cell, name, layer, name + suffix);
        for (const std::string name : {"bias_ih", "bias_hh"}) addBias(*cell, layer, name + suffix, name);
        list->children.push_back({std::to_string(list->children.size()), std::move(cell)});
    }
    made->children.push_back({"_all_weight_values", std::move(list)});
    return made;
}

std::shared_ptr<Module> LoweredModules::makeWeightOnly(std::string_view type, const Module& reference) {
    auto made = emptyModule(type);
    copyAttributes(reference, *made, {"num_embeddings", "embedding_dim"});
    const std::string dtype = constantOf(reference, "weight_dtype");
    made->attributes.emplace_back("dtype", Argument::dtype(dtype));
    if (made->className == "EmbeddingBag") {
        copyAttributes(reference, *made, {"mode"});
        made->attributes.emplace_back("pruned_weights", Argument(false));
        copyAttributes(reference, *made, {"include_last_offset"});
    }
    auto packed = emptyModule("torch.ao.nn.quantized.modules.embedding_ops.EmbeddingPackedParams");
    packed->attributes.emplace_back("dtype", Argument::dtype(dtype));
    addWeight(packed, "weight", reference);
    made->children.push_back({"_packed_params", std::move(packed)});
    return made;
}

std::shared_ptr<Module> LoweredModules::makeSpecial(std::string_view type, const Module& module, const QParams& output,
                                                    const std::shared_ptr<const Module>& observer) {
    if (type.find("ConvTranspose") != type.npos) return make(type, module, output);
    const Module& layer = module.children.empty() ? module : *module.children.front().module; // BNReLU2d(bn, relu)
    auto made = emptyModule(type);
    made->attributes = layer.attributes;
    made->parameters = layer.parameters, made->buffers = layer.buffers;
    const std::string& name = made->className;
    if (name == "Dropout") return made;
    if (name == "ELU" || name == "Softmax" || name == "PReLU") {
        made->attributes.emplace_back("scale", scaleOf(output));
        made->attributes.emplace_back("zero_point", zeroPointOf(output));
        std::erase_if(made->attributes, [](const auto& each) { return each.first == "init"; });
        if (name != "PReLU") return made;
        made->parameters.clear();
        // torch.ao quantises to quint8 whatever the observer's dtype
        addQuantised(made, "weight", {layer.tensor("weight"), {}, "torch.quint8", "torch.per_tensor_affine"});
        m_pending.back().observer = observer;
        return made;
    }
    addOutputBuffers(*made, output);
    return made;
}

void LoweredModules::observe() {
    std::vector<WeightJob> jobs;
    for (const Pending& each : m_pending)
        if (each.observer) jobs.push_back({each.observer, each.job.tensor});
    if (jobs.empty()) return;
    const std::vector<QParams> found = m_engine->observe(jobs);
    auto next = found.begin();
    for (Pending& each : m_pending) {
        if (!each.observer) continue;
        // Python's float(scale) and int(zero_point)
        each.job.qparams.scale = floatTensor({elementValues(*next->scale).at(0)}, {});
        each.job.qparams.zeroPoint =
            intTensor({static_cast<std::int64_t>(elementValues(*next->zeroPoint).at(0))}, {}, DType::Int64);
        ++next;
    }
}

void LoweredModules::finish() {
    if (!m_engine) return;
    observe();
    std::erase_if(m_pending, [](const Pending& each) { return !each.job.qparams.scale; });
    if (m_pending.empty()) return;
    std::vector<QuantizeJob> jobs;
    for (const Pending& each : m_pending) jobs.push_back(each.job);
    const std::vector<TensorPtr> found = m_engine->quantize(jobs);
    for (std::size_t i = 0; i < m_pending.size() && i < found.size(); ++i)
        setAttribute(*m_pending[i].holder, m_pending[i].attribute, found[i]);
}

} // namespace fx::quant
