// SPDX-License-Identifier: GPL-3.0-or-later
// Attention and the transformer of torch.nn.
#include "core/base/pointer_set.h"
#include "core/make/module_maker.h"
#include "core/module/module_editor.h"

#include <algorithm>

namespace fx::make {
namespace {

void attention(ModuleMaker& m) {
    const std::int64_t width = m.positive("embed_dim"), heads = m.positive("num_heads");
    if (width % heads) throw refused(Message("make.embed_dim"));
    const std::int64_t keys = m.setting("kdim").isNone() ? width : m.positive("kdim"),
                       values = m.setting("vdim").isNone() ? width : m.positive("vdim");
    const bool same = keys == width && values == width, extra = m.flag("add_bias_kv");
    m.keep("embed_dim");
    m.keep("kdim", keys);
    m.keep("vdim", values);
    m.keep("_qkv_same_embed_dim", same);
    for (const char* name : {"num_heads", "dropout", "batch_first"}) m.keep(name);
    m.keep("head_dim", width / heads);
    if (!extra) m.keep("bias_k", {}), m.keep("bias_v", {});
    m.keep("add_zero_attn");
    auto out = m.make("torch.nn.modules.linear.NonDynamicallyQuantizableLinear",
                      {{{"in_features", width}, {"out_features", width}, {"bias", m.flag("bias")}}, {}});
    if (m.flag("bias")) out->parameters[1].tensor = m.random().filled({width}, 0, true);
    m.child("out_proj", std::move(out));
    if (same) {
        m.parameter("in_proj_weight", m.xavierUniform({3 * width, width}));
        for (const char* name : {"q_proj_weight", "k_proj_weight", "v_proj_weight"}) m.parameter(name, nullptr);
    } else {
        m.parameter("q_proj_weight", m.xavierUniform({width, width}));
        m.parameter("k_proj_weight", m.xavierUniform({width, keys}));
        m.parameter("v_proj_weight", m.xavierUniform({width, values}));
        m.parameter("in_proj_weight", nullptr);
    }
    m.parameter("in_proj_bias", m.flag("bias") ? m.random().filled({3 * width}, 0, true) : nullptr);
    if (extra)
        for (const char* name : {"bias_k", "bias_v"}) m.parameter(name, m.xavierNormal({1, 1, width}));
}

// ── layers ───────────────────────────────────────────────────────────────────────────────────────────────────────

/// The function that a layer holds, as it is when it comes from a file.
Argument functionNamed(const char* module, const char* name) {
    Callable callable;
    callable.module = module;
    callable.name = name;
    callable.qualifiedName = callable.module + "." + name;
    callable.repr = "<function " + callable.qualifiedName + ">";
    callable.kind = Callable::Kind::Function;
    callable.fromTorch = callable.opaque = true;
    return CallableValue{std::make_shared<const Callable>(std::move(callable))};
}

enum class Activation : std::uint8_t { Other, Relu, Gelu };

/// Keeps the activation of a layer, a function or a module.
Activation activationOf(const ModuleMaker& m) {
    if (const auto module = m.module("activation"))
        return module->className == "ReLU"   ? Activation::Relu
               : module->className == "GELU" ? Activation::Gelu
                                             : Activation::Other;
    const auto* named = m.setting("activation").as<std::string>();
    const auto* function = m.setting("activation").as<CallableValue>();
    const std::string name = named ? *named : function ? function->callable->name : std::string();
    if (name != "relu" && name != "gelu") m.cannotMake(Message("make.activation"));
    return name == "relu" ? Activation::Relu : Activation::Gelu;
}

void keepActivation(ModuleMaker& m, Activation kind) {
    if (auto module = m.module("activation")) return m.child("activation", std::move(module));
    m.keep("activation", kind == Activation::Relu ? functionNamed("torch.nn.functional", "relu")
                                                  : functionNamed("torch._C._nn", "gelu"));
}

void layer(ModuleMaker& m) {
    const bool decodes = m.type().name() == "TransformerDecoderLayer";
    const std::int64_t width = m.positive("d_model"), inner = m.integer("dim_feedforward");
    const Argument bias = m.setting("bias"), dropout = m.setting("dropout");
    const ModuleSettings attention{{{"embed_dim", width},
                                    {"num_heads", m.setting("nhead")},
                                    {"dropout", dropout},
                                    {"bias", bias},
                                    {"batch_first", m.setting("batch_first")}},
                                   {}};
    m.child("self_attn", m.make("torch.nn.MultiheadAttention", attention));
    if (decodes) m.child("multihead_attn", m.make("torch.nn.MultiheadAttention", attention));
    m.child("linear1",
            m.make("torch.nn.Linear", {{{"in_features", width}, {"out_features", inner}, {"bias", bias}}, {}}));
    m.child("dropout", m.make("torch.nn.Dropout", {{{"p", dropout}}, {}}));
    m.child("linear2",
            m.make("torch.nn.Linear", {{{"in_features", inner}, {"out_features", width}, {"bias", bias}}, {}}));
    m.keep("norm_first");
    const std::vector<std::string> numbers =
        decodes ? std::vector<std::string>{"1", "2", "3"} : std::vector<std::string>{"1", "2"};
    for (const auto& number : numbers)
        m.child("norm" + number,
                m.make("torch.nn.LayerNorm",
                       {{{"normalized_shape", width}, {"eps", m.setting("layer_norm_eps")}, {"bias", bias}}, {}}));
    for (const auto& number : numbers) m.child("dropout" + number, m.make("torch.nn.Dropout", {{{"p", dropout}}, {}}));
    const Activation kind = activationOf(m);
    if (!decodes) m.keep("activation_relu_or_gelu", static_cast<std::int64_t>(kind));
    keepActivation(m, kind);
}

// ── stacks ───────────────────────────────────────────────────────────────────────────────────────────────────────

bool isTrue(const Argument* value) {
    const bool* flag = value ? value->as<bool>() : nullptr;
    return flag && *flag;
}

/// Whether a layer has the fast path that takes nested tensors.
bool isFast(const Module& layer) {
    const Module* attention = layer.child("self_attn");
    if (layer.className != "TransformerEncoderLayer" || !attention || isTrue(layer.setting("norm_first"))) return false;
    const Module::Slot* bias = attention->parameter("in_proj_bias");
    const Argument *first = layer.child("norm1")->setting("eps"), *second = layer.child("norm2")->setting("eps");
    const Argument *activation = layer.setting("activation_relu_or_gelu"), *heads = attention->setting("num_heads");
    return isTrue(attention->setting("batch_first")) && isTrue(attention->setting("_qkv_same_embed_dim")) && bias &&
           bias->tensor && activation && *activation != Argument(std::int64_t{0}) && *first == *second &&
           *heads->as<std::int64_t>() % 2 == 0;
}

void stack(ModuleMaker& m) {
    const bool encodes = m.type().name() == "TransformerEncoder";
    const char* name = encodes ? "encoder_layer" : "decoder_layer";
    const std::shared_ptr<Module> layer = m.module(name), norm = m.module("norm");
    if (!layer) throw refused(Message("make.expected_module", {{"name", name}, {"type", m.type().publicPath()}}));
    const std::int64_t count = m.layers("num_layers");
    auto layers = m.make("torch.nn.ModuleList", {});
    for (std::int64_t i = 0; i < count; ++i) layers->children.push_back({std::to_string(i), deepCopy(*layer)});
    m.child("layers", std::move(layers));
    m.keep("num_layers");
    if (norm) m.child("norm", norm);
    else m.keep("norm");
    if (!encodes) return;
    m.keep("enable_nested_tensor");
    m.keep("use_nested_tensor", m.flag("enable_nested_tensor") && isFast(*layer));
    m.keep("mask_check");
}

std::shared_ptr<Module> half(ModuleMaker& m, const std::string& kind, const char* layerName, const char* count) {
    ModuleSettings settings;
    for (const char* name : {"d_model", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps",
                             "batch_first", "norm_first", "bias"})
        if (!m.module(name)) settings.values.emplace_back(name, m.setting(name));
    if (auto activation = m.module("activation")) settings.modules.emplace_back("activation", std::move(activation));
    auto layer = m.make("torch.nn.Transformer" + kind + "Layer", settings);
    auto norm = m.make("torch.nn.LayerNorm", {{{"normalized_shape", m.setting("d_model")},
                                               {"eps", m.setting("layer_norm_eps")},
                                               {"bias", m.setting("bias")}},
                                              {}});
    return m.make("torch.nn.Transformer" + kind,
                  {{{"num_layers", m.setting(count)}}, {{layerName, std::move(layer)}, {"norm", std::move(norm)}}});
}

/// xavier_uniform_ of each matrix, in the order of parameters(): those of shared modules once.
void drawAgain(ModuleMaker& m, Module& root) {
    PointerSet seen;
    std::vector<Module*> open{&root};
    while (!open.empty()) {
        Module& module = *open.back();
        open.pop_back();
        if (!seen.insert(&module)) continue;
        for (auto& slot : module.parameters)
            if (slot.tensor && slot.tensor->sizes.size() > 1) slot.tensor = m.xavierUniform(slot.tensor->sizes);
        for (auto child = module.children.rbegin(); child != module.children.rend(); ++child)
            if (child->module) open.push_back(child->module.get());
    }
}

void transformer(ModuleMaker& m) {
    const auto given = [&](const char* name) { return m.module(name) ? deepCopy(*m.module(name)) : nullptr; };
    auto encoder = given("custom_encoder");
    if (!encoder) encoder = half(m, "Encoder", "encoder_layer", "num_encoder_layers");
    auto decoder = given("custom_decoder");
    if (!decoder) decoder = half(m, "Decoder", "decoder_layer", "num_decoder_layers");
    m.child("encoder", std::move(encoder));
    m.child("decoder", std::move(decoder));
    drawAgain(m, m.made());
    for (const char* name : {"d_model", "nhead", "batch_first"}) m.keep(name);
}

} // namespace

const std::vector<Recipe>& transformerRecipes() {
    static const std::vector<Recipe> kRecipes = {{"MultiheadAttention", attention},
                                                 {"TransformerEncoderLayer TransformerDecoderLayer", layer},
                                                 {"TransformerEncoder TransformerDecoder", stack},
                                                 {"Transformer", transformer}};
    return kRecipes;
}

} // namespace fx::make
