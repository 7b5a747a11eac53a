// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/attention.h"
#include "core/engine/modules/module_call.h"

#include <ATen/core/grad_mode.h>

#include <cmath>

// MultiheadAttention and the Transformer layers, with the fast paths that PyTorch takes when nothing records gradients.
// script_attention of core/torchscript has the layers once more: there each step is text for a child that is known,
// here a call of whatever the child is. Both share no more than the order of a few lines.
namespace fx::engine {
namespace {

bool isFloating(const Value& mask) { return mask.isTensor() && mask.tensor().is_floating_point(); }

struct MergedMask {
    Value mask, type;
};
/// What the fused operators take for the two masks: one mask, and which kind it is.
MergedMask mergeMasks(const Value& mask, const Value& padding, const Value& query, std::int64_t heads) {
    if (mask.isNone()) return padding.isNone() ? MergedMask{} : MergedMask{padding, 1};
    const std::int64_t batch = query.tensor().size(0), length = query.tensor().size(1);
    const auto view = [](const Value& x, std::vector<std::int64_t> sizes) {
        return callMethod("view", {x, Value::size(sizes)});
    };
    Value merged = mask.tensor().dim() == 3
                       ? view(mask, {batch, -1, length, length})
                       : callMethod("expand", {view(mask, {1, 1, length, length}), batch, heads, -1, -1});
    if (!padding.isNone())
        merged =
            binaryOf("add", merged, callMethod("expand", {view(padding, {batch, 1, 1, length}), -1, heads, -1, -1}));
    return {merged, 2};
}

struct AttentionInputs {
    Value query, key, value, padding, mask;
    bool needWeights = true, average = true, causal = false;
};

bool takesFastPath(const ModuleCall& m, const AttentionInputs& in) {
    const auto same = [](const Value& a, const Value& b) { return a.tensor().is_same(b.tensor()); };
    const bool records =
        at::GradMode::is_enabled() && (in.query.tensor().requires_grad() || m.tensor("in_proj_weight").requires_grad());
    return !records && !isFloating(in.mask) && !isFloating(in.padding) && in.query.tensor().dim() == 3 &&
           same(in.query, in.key) && same(in.key, in.value) && !m.training() && m.given("in_proj_weight") &&
           m.given("in_proj_bias") && m.tensor("in_proj_weight").scalar_type() == in.query.tensor().scalar_type() &&
           m.integer("num_heads") % 2 == 0 && m.flag("batch_first") && !m.given("bias_k") && !m.given("bias_v") &&
           !m.flag("add_zero_attn") && m.flag("_qkv_same_embed_dim");
}

/// The weight or bias of a child.
Value slotOf(const ModuleCall& m, const char* child, const char* name) {
    const Module::Slot* slot = m.childModule(child).parameter(name);
    return slot ? m.tensors().value(slot->tensor) : Value();
}

/// The names of multi_head_attention_forward for a module and its inputs.
class AttentionNames : public Names {
public:
    AttentionNames(const ModuleCall& module, const AttentionInputs& inputs) : m_module(module), m_in(inputs) {}
    Value operator[](std::string_view name) const override {
        if (name == "query") return m_in.query;
        if (name == "key") return m_in.key;
        if (name == "value") return m_in.value;
        if (name == "key_padding_mask") return m_in.padding;
        if (name == "attn_mask") return m_in.mask;
        if (name == "need_weights") return m_in.needWeights;
        if (name == "average_attn_weights") return m_in.average;
        if (name == "is_causal") return m_in.causal;
        if (name == "use_separate_proj_weight") return !m_module.flag("_qkv_same_embed_dim");
        if (name == "dropout_p") return m_module["dropout"];
        if (name == "out_proj_weight") return slotOf(m_module, "out_proj", "weight");
        if (name == "out_proj_bias") return slotOf(m_module, "out_proj", "bias");
        if (name == "static_k" || name == "static_v") return {};
        return m_module[name];
    }

private:
    const ModuleCall& m_module;
    const AttentionInputs& m_in;
};

Value attend(const ModuleCall& m, AttentionInputs in) {
    const bool fast = takesFastPath(m, in);
    in.padding = canonicalMask(in.padding, in.query);
    in.mask = canonicalMask(in.mask, in.query);
    if (fast) {
        const MergedMask merged = mergeMasks(in.mask, in.padding, in.query, m.integer("num_heads"));
        return callFunction("torch._native_multi_head_attention",
                            {in.query, in.key, in.value, m["embed_dim"], m["num_heads"], m["in_proj_weight"],
                             m["in_proj_bias"], slotOf(m, "out_proj", "weight"), slotOf(m, "out_proj", "bias"),
                             merged.mask, in.needWeights, in.average, merged.type});
    }
    const bool turned = m.flag("batch_first") && in.query.tensor().dim() == 3;
    if (turned) {
        const bool sameKey = in.key.tensor().is_same(in.query.tensor()),
                   sameValue = in.value.tensor().is_same(in.key.tensor());
        const auto turn = [](const Value& x) { return callMethod("transpose", {x, 1, 0}); };
        in.query = turn(in.query);
        in.key = sameKey && sameValue ? in.query : turn(in.key);
        in.value = sameValue ? in.key : turn(in.value);
    }
    const Value out = multiHeadAttention(AttentionNames(m, in));
    const Values& parts = out.items()->items;
    return turned ? Value::tuple({callMethod("transpose", {parts[0], 1, 0}), parts[1]}) : Value::tuple(parts);
}

bool flagInput(const ModuleCall& m, std::size_t index, std::string_view name, bool fallback) {
    const Value* value = m.arguments().at(index, name);
    return value && !value->isNone() ? truthOf(*value) : fallback;
}

Value multiheadAttention(const ModuleCall& m) {
    AttentionInputs in;
    in.query = m.input(0, "query"), in.key = m.input(1, "key"), in.value = m.input(2, "value");
    in.padding = m.input(3, "key_padding_mask"), in.mask = m.input(5, "attn_mask");
    in.needWeights = flagInput(m, 4, "need_weights", true);
    in.average = flagInput(m, 6, "average_attn_weights", true);
    in.causal = flagInput(m, 7, "is_causal", false);
    return attend(m, std::move(in));
}

// ── Transformer layers ──

/// The activation: a module, or a function that the instance holds.
Value activate(const ModuleCall& m, const Value& x) {
    if (m.module().child("activation")) return m.child("activation", {x});
    const Value function = m["activation"];
    const Callable* callable = function.callable();
    if (!callable) throw runError(Message("engine.activation", {{"class", m.module().className}}));
    return callFunction(callable->qualifiedName, {x});
}

Value selfAttention(const ModuleCall& m, const char* child, const char* dropout, const Value& x, const Value& memory,
                    const Value& mask, const Value& padding, bool causal) {
    const Arguments none;
    const ModuleCall attention(m.childModule(child), m.tensors(), none);
    AttentionInputs in;
    in.query = x, in.key = memory, in.value = memory, in.mask = mask, in.padding = padding;
    in.needWeights = false, in.causal = causal;
    return m.child(dropout, {attend(attention, std::move(in)).items()->items.at(0)});
}

Value feedForward(const ModuleCall& m, const Value& x, const char* lastDropout) {
    return m.child(lastDropout, {m.child("linear2", {m.child("dropout", {activate(m, m.child("linear1", {x}))})})});
}

double epsilon(const ModuleCall& m, const char* norm) {
    const Argument* value = m.childModule(norm).setting("eps");
    return value && value->as<double>() ? *value->as<double>() : 0;
}

/// 1 for ReLU, 2 for GELU, 0 for another activation.
std::int64_t fusedActivation(const ModuleCall& m) {
    return m.has("activation_relu_or_gelu") ? m.integer("activation_relu_or_gelu") : 0;
}

Value fusedEncoderLayer(const ModuleCall& m, const ModuleCall& attention, const Value& src, const Value& mask,
                        const Value& padding) {
    const MergedMask merged = mergeMasks(mask, padding, src, attention.integer("num_heads"));
    Values arguments = {src,
                        attention["embed_dim"],
                        attention["num_heads"],
                        attention["in_proj_weight"],
                        attention["in_proj_bias"],
                        slotOf(attention, "out_proj", "weight"),
                        slotOf(attention, "out_proj", "bias"),
                        fusedActivation(m) == 2,
                        m["norm_first"],
                        epsilon(m, "norm1")};
    for (const char* child : {"norm1", "norm2", "linear1", "linear2"})
        for (const char* name : {"weight", "bias"}) arguments.push_back(slotOf(m, child, name));
    arguments.insert(arguments.end(), {merged.mask, merged.type});
    return callFunction("torch._transformer_encoder_layer_fwd", std::move(arguments));
}

Value encoderLayer(const ModuleCall& m) {
    const Value src = m.input(0, "src");
    const Value mask = canonicalMask(m.input(1, "src_mask"), src),
                padding = canonicalMask(m.input(2, "src_key_padding_mask"), src);
    const bool causal = flagInput(m, 3, "is_causal", false);
    const Arguments none;
    const ModuleCall attention(m.childModule("self_attn"), m.tensors(), none);
    const bool fused = src.tensor().dim() == 3 && !m.training() && attention.flag("batch_first") &&
                       attention.given("in_proj_bias") && attention.flag("_qkv_same_embed_dim") &&
                       fusedActivation(m) != 0 && epsilon(m, "norm1") == epsilon(m, "norm2") &&
                       attention.integer("num_heads") % 2 == 0;
    if (fused) return fusedEncoderLayer(m, attention, src, mask, padding);
    const auto attended = [&](const Value& x) {
        return selfAttention(m, "self_attn", "dropout1", x, x, mask, padding, causal);
    };
    if (m.flag("norm_first")) {
        const Value x = binaryOf("add", src, attended(m.child("norm1", {src})));
        return binaryOf("add", x, feedForward(m, m.child("norm2", {x}), "dropout2"));
    }
    const Value x = m.child("norm1", {binaryOf("add", src, attended(src))});
    return m.child("norm2", {binaryOf("add", x, feedForward(m, x, "dropout2"))});
}

Value decoderLayer(const ModuleCall& m) {
    const Value tgt = m.input(0, "tgt"), memory = m.input(1, "memory");
    const auto self = [&](const Value& x) {
        return selfAttention(m, "self_attn", "dropout1", x, x, m.input(2, "tgt_mask"),
                             m.input(4, "tgt_key_padding_mask"), flagInput(m, 6, "tgt_is_causal", false));
    };
    const auto cross = [&](const Value& x) {
        return selfAttention(m, "multihead_attn", "dropout2", x, memory, m.input(3, "memory_mask"),
                             m.input(5, "memory_key_padding_mask"), flagInput(m, 7, "memory_is_causal", false));
    };
    if (m.flag("norm_first")) {
        Value x = binaryOf("add", tgt, self(m.child("norm1", {tgt})));
        x = binaryOf("add", x, cross(m.child("norm2", {x})));
        return binaryOf("add", x, feedForward(m, m.child("norm3", {x}), "dropout3"));
    }
    Value x = m.child("norm1", {binaryOf("add", tgt, self(tgt))});
    x = m.child("norm2", {binaryOf("add", x, cross(x))});
    return m.child("norm3", {binaryOf("add", x, feedForward(m, x, "dropout3"))});
}

// ── stacks of layers ──

/// PyTorch's `_detect_is_causal_mask`: what the caller says, else whether the mask is the causal one.
bool isCausal(const Value& mask, const Value& said) {
    if (!said.isNone()) return truthOf(said);
    if (mask.isNone() || mask.tensor().dim() != 2 || mask.tensor().size(0) != mask.tensor().size(1)) return false;
    const Value causal = callFunction("torch.triu", {callFunction("torch.full_like", {mask, -INFINITY}), 1});
    return truthOf(callMethod("equal", {mask, causal}));
}

std::vector<std::shared_ptr<Module>> layersOf(const ModuleCall& m) {
    std::vector<std::shared_ptr<Module>> out;
    for (const Module::Child& child : m.childModule("layers").children)
        if (child.module) out.push_back(child.module);
    return out;
}

Value normalised(const ModuleCall& m, const Value& x) { return m.module().child("norm") ? m.child("norm", {x}) : x; }

Value encoder(const ModuleCall& m) {
    Value x = m.input(0, "src");
    const Value mask = canonicalMask(m.input(1, "mask"), x), padding = m.input(2, "src_key_padding_mask");
    if (!padding.isNone() && !m.training() && m.has("use_nested_tensor") && m.flag("use_nested_tensor"))
        throw runError(Message("engine.nested_tensors"));
    const Value* said = m.arguments().at(3, "is_causal");
    const bool causal = isCausal(mask, said ? *said : Value());
    for (const auto& layer : layersOf(m))
        x = callModule(*layer, m.tensors(),
                       Arguments{{x}, {{"src_mask", mask}, {"is_causal", causal}, {"src_key_padding_mask", padding}}});
    return normalised(m, x);
}

Value decoder(const ModuleCall& m) {
    Value x = m.input(0, "tgt");
    const Value memory = m.input(1, "memory"), mask = m.input(2, "tgt_mask");
    const Value* said = m.arguments().at(6, "tgt_is_causal");
    const bool causal = isCausal(mask, said ? *said : Value());
    for (const auto& layer : layersOf(m))
        x = callModule(*layer, m.tensors(),
                       Arguments{{x, memory},
                                 {{"tgt_mask", mask},
                                  {"memory_mask", m.input(3, "memory_mask")},
                                  {"tgt_key_padding_mask", m.input(4, "tgt_key_padding_mask")},
                                  {"memory_key_padding_mask", m.input(5, "memory_key_padding_mask")},
                                  {"tgt_is_causal", causal},
                                  {"memory_is_causal", flagInput(m, 7, "memory_is_causal", false)}}});
    return normalised(m, x);
}

Value transformer(const ModuleCall& m) {
    const auto given = [&](std::size_t index, const char* name) { return m.input(index, name); };
    const Value memory = callModule(m.childModule("encoder"), m.tensors(),
                                    Arguments{{m.input(0, "src")},
                                              {{"mask", given(2, "src_mask")},
                                               {"src_key_padding_mask", given(5, "src_key_padding_mask")},
                                               {"is_causal", given(8, "src_is_causal")}}});
    return callModule(m.childModule("decoder"), m.tensors(),
                      Arguments{{m.input(1, "tgt"), memory},
                                {{"tgt_mask", given(3, "tgt_mask")},
                                 {"memory_mask", given(4, "memory_mask")},
                                 {"tgt_key_padding_mask", given(6, "tgt_key_padding_mask")},
                                 {"memory_key_padding_mask", given(7, "memory_key_padding_mask")},
                                 {"tgt_is_causal", given(9, "tgt_is_causal")},
                                 {"memory_is_causal", given(10, "memory_is_causal")}}});
}

} // namespace

ModuleForm transformerForm(std::string_view className) {
    if (className == "MultiheadAttention") return multiheadAttention;
    if (className == "TransformerEncoderLayer") return encoderLayer;
    if (className == "TransformerDecoderLayer") return decoderLayer;
    if (className == "TransformerEncoder") return encoder;
    if (className == "TransformerDecoder") return decoder;
    if (className == "Transformer") return transformer;
    return nullptr;
}

} // namespace fx::engine
