// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_attention.h"

#include "core/ops/nn_modules.h"
#include "core/torchscript/writing/script_compositions.h"

#include <algorithm>
#include <array>
#include <optional>

// Attention and the Transformer layers of torch.nn as operators, in the order of torch.nn.functional's code: three
// projections, heads, scaled scores with masks, softmax, and the projection of the result. The fused operator of
// encoder layers, which has no gradients, is called where PyTorch calls it; that of attention alone is not. Numbers
// agree but for rounding. core/engine/modules/attention, whose numbers are PyTorch's to the bit, says why its program
// differs.
namespace fx::script {
namespace {

/// A module and the term that leads to it: `self.encoder`.
struct Part {
    const Module& module;
    std::string term;

    std::optional<Part> child(std::string_view name) const {
        const Module* found = module.child(name);
        if (!found) return std::nullopt;
        return Part{*found, "getattr(" + term + ", \"" + std::string(name) + "\")"};
    }
    std::string setting(std::string_view name) const {
        const Argument* literal = module.setting(name);
        return literal && !literal->as<CallableValue>() && !literal->as<OpaqueObject>() ? literalTerm(*literal, {})
                                                                                        : std::string();
    }
    bool flag(std::string_view name) const { return setting(name) == "True"; }
    std::int64_t integer(std::string_view name) const { return std::atoll(setting(name).c_str()); }
    std::string tensor(std::string_view name) const {
        const Module::Slot* slot = module.parameter(name);
        return slot && slot->tensor ? term + "." + std::string(name) : "None";
    }
};

/// Something that has no words in a script.
struct NoWords {};

/// The arguments of a call by the names of the forward's parameters.
class Bound {
public:
    Bound(const Terms& terms, const Module& module) : m_terms(terms) {
        if (const auto known = ops::findModule(module.qualifiedType())) m_parameters = known->forwardParameters();
        if (terms.positional.size() > m_parameters.size()) throw NoWords();
    }
    std::string operator()(std::string_view name, std::string_view otherwise = "None") const {
        for (std::size_t i = 0; i < m_terms.positional.size(); ++i)
            if (m_parameters[i].name == name) return m_terms.positional[i];
        for (const auto& [key, term] : m_terms.named)
            if (key == name) return term;
        return std::string(otherwise);
    }

private:
    const Terms& m_terms;
    std::vector<ops::Parameter> m_parameters;
};

struct Masks {
    std::string mask = "None", padding = "None"; ///< (L, S) or (N * heads, L, S); (N, S)
};

class Body {
public:
    /// The result of the forward of a module.
    std::string forward(const Terms& terms, const Part& m) {
        const Bound in(terms, m.module);
        const auto masks = [&](const std::string& of) { return Masks{in(of + "_mask"), in(of + "_key_padding_mask")}; };
        const std::string& name = m.module.className;
        if (name == "MultiheadAttention") return attention(in, m);
        if (name == "TransformerEncoderLayer") return encoderLayer(m, in("src"), masks("src"));
        if (name == "TransformerEncoder") return encoder(m, in("src"), {in("mask"), in("src_key_padding_mask")});
        if (name == "TransformerDecoderLayer")
            return decoderLayer(m, in("tgt"), in("memory"), masks("tgt"), masks("memory"));
        if (name == "TransformerDecoder") return decoder(m, in("tgt"), in("memory"), masks("tgt"), masks("memory"));
        const std::string memory = encoder(needed(m, "encoder"), in("src"), masks("src"));
        return decoder(needed(m, "decoder"), in("tgt"), memory, masks("tgt"), masks("memory"));
    }

    const std::string& lines() const { return m_lines; }

private:
    struct Attended {
        std::string result, weights;
    };

    std::string attention(const Bound& in, const Part& m) {
        const bool weights = in("need_weights", "True") == "True";
        const Attended out =
            attend(m, {in("query"), in("key"), in("value")}, {in("attn_mask"), in("key_padding_mask")}, weights);
        if (!weights) return "(" + out.result + ", None)";
        const bool average = in("average_attn_weights", "True") == "True";
        const std::string shown = average ? let("torch.mean(" + out.weights + ", [1])") : out.weights;
        line("if " + in("query") + ".dim() == 2:");
        line("    " + shown + " = " + shown + ".squeeze(0)");
        return "(" + out.result + ", " + shown + ")";
    }

    static Part needed(const Part& m, std::string_view name) {
        if (const auto child = m.child(name)) return *child;
        throw NoWords();
    }
    void line(const std::string& text) { m_lines += m_indent + text + "\n    "; }
    /// A new variable with this value.
    std::string let(const std::string& value) {
        std::string name = "v" + std::to_string(m_count++);
        line(name + " = " + value);
        return name;
    }

    /// Boolean masks become numbers to add.
    std::string numbers(const std::string& mask, const std::string& like) {
        const std::string out = let(mask);
        line("if " + mask + ".dtype == 11:"); // torch.bool
        line("    " + out + " = torch.masked_fill(torch.zeros_like(" + mask + ", dtype=" + like + ".dtype), " + mask +
             ", float(\"-inf\"))");
        return out;
    }

    /// One mask that broadcasts to (N, heads, L, S), or "None".
    std::string merged(const Masks& masks, const std::string& heads, const std::string& like) {
        std::string out = "None";
        if (masks.mask != "None") {
            out = numbers(masks.mask, like);
            line("if " + out + ".dim() == 3:");
            line("    " + out + " = " + out + ".view([-1, " + heads + ", " + out + ".size(1), " + out + ".size(2)])");
        }
        if (masks.padding == "None") return out;
        const std::string padding = numbers(masks.padding, like); // (N, S), or (S) without a batch
        line(padding + " = " + padding + ".unsqueeze(-2).unsqueeze(-2)");
        return out == "None" ? padding : let("torch.add(" + out + ", " + padding + ")");
    }

    static std::string batchAxis(const Part& m) { return m.flag("batch_first") ? "0" : "1"; }

    /// (N, heads, L, features of a head) of one of query, key and value.
    std::string projected(const Part& m, const std::string& input, int index) {
        const std::int64_t width = m.integer("embed_dim");
        const std::string from = std::to_string(width * index), to = std::to_string(width * (index + 1));
        constexpr std::array kOwn = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
        const std::string rows = "[" + from + ":" + to + "]";
        const std::string weight = m.flag("_qkv_same_embed_dim") ? m.tensor("in_proj_weight") + rows
                                                                 : m.tensor(kOwn[static_cast<std::size_t>(index)]);
        const std::string bias = m.tensor("in_proj_bias");
        const std::string all =
            let("torch.linear(" + input + ", " + weight + ", " + (bias == "None" ? bias : bias + rows) + ")");
        line("if " + all + ".dim() == 2:"); // without a batch
        line("    " + all + " = " + all + ".unsqueeze(" + batchAxis(m) + ")");
        const std::string heads = m.setting("num_heads");
        const std::string split = all + ".view([" + all + ".size(0), " + all + ".size(1), " + heads + ", " +
                                  std::to_string(width / std::max<std::int64_t>(1, m.integer("num_heads"))) + "])";
        return let(split + (m.flag("batch_first") ? ".transpose(1, 2)" : ".permute([1, 2, 0, 3])"));
    }

    Attended attend(const Part& m, const std::array<std::string, 3>& inputs, const Masks& masks, bool weights) {
        if (m.module.className != "MultiheadAttention" || m.flag("add_zero_attn") || m.tensor("bias_k") != "None" ||
            m.integer("num_heads") <= 0 || m.setting("dropout").empty())
            throw NoWords();
        for (const std::string& input : inputs)
            if (input == "None") throw NoWords();
        const std::string q = projected(m, inputs[0], 0), k = projected(m, inputs[1], 1),
                          v = projected(m, inputs[2], 2);
        const std::string mask = merged(masks, m.setting("num_heads"), q);
        const std::string rate = asFloat(m.setting("dropout"));
        Attended out;
        std::string heads;
        if (weights) {
            const std::string scores =
                "torch.matmul(torch.div(" + q + ", math.sqrt(" + q + ".size(-1))), " + k + ".transpose(-2, -1))";
            out.weights =
                let("torch.softmax(" + (mask == "None" ? scores : "torch.add(" + scores + ", " + mask + ")") + ", -1)");
            if (rate != "0.0")
                out.weights = let("torch.dropout(" + out.weights + ", " + rate + ", " + m.term + ".training)");
            heads = let("torch.matmul(" + out.weights + ", " + v + ")");
        } else {
            std::string now = rate;
            if (rate != "0.0") {
                now = let("0.0");
                line("if " + m.term + ".training:");
                line("    " + now + " = " + rate);
            }
            heads =
                let("torch.scaled_dot_product_attention(" + q + ", " + k + ", " + v + ", " + mask + ", " + now + ")");
        }
        // With the sequence first in memory, as in PyTorch: dropout of the result draws its numbers in that order.
        const Part last = needed(m, "out_proj");
        out.result = let("torch.linear(" + heads + ".permute([2, 0, 1, 3]).flatten(2), " + last.tensor("weight") +
                         ", " + last.tensor("bias") + ")" + (m.flag("batch_first") ? ".transpose(0, 1)" : ""));
        line("if " + inputs[0] + ".dim() == 2:");
        line("    " + out.result + " = " + out.result + ".squeeze(" + batchAxis(m) + ")");
        return out;
    }

    /// The term of a rate as a float.
    static std::string asFloat(const std::string& rate) { return isIntegerTerm(rate) ? rate + ".0" : rate; }
    /// A child that is a Dropout: its own mode decides, as in Python.
    std::string dropped(const Part& m, std::string_view name, const std::string& x) {
        const Part child = needed(m, name);
        const std::string rate = child.setting("p");
        if (child.module.className == "Identity" || rate == "0.0" || rate == "0") return x;
        if (child.module.className != "Dropout" || rate.empty()) throw NoWords();
        return let("torch.dropout(" + x + ", " + asFloat(rate) + ", " + child.term + ".training)");
    }
    std::string norm(const Part& m, std::string_view name, const std::string& x) {
        const Part child = needed(m, name);
        if (child.module.className != "LayerNorm") throw NoWords();
        return let("torch.layer_norm(" + x + ", " + child.setting("normalized_shape") + ", " + child.tensor("weight") +
                   ", " + child.tensor("bias") + ", " + child.setting("eps") + ")");
    }
    std::string linear(const Part& m, std::string_view name, const std::string& x) {
        const Part child = needed(m, name);
        return let("torch.linear(" + x + ", " + child.tensor("weight") + ", " + child.tensor("bias") + ")");
    }
    std::string activated(const Part& m, const std::string& x) {
        const auto* function = m.module.setting<CallableValue>("activation");
        const std::string named = function ? function->callable->qualifiedName : std::string();
        const auto child = m.child("activation");
        std::string term = child ? moduleBody(child->module, {{x}, {}}) : "return " + functionTerm(named, {{x}, {}});
        // A body with statements of its own does not fit into an expression.
        if (!term.starts_with("return ") || term.size() == 7) throw NoWords();
        for (std::size_t at = 0; child && (at = term.find("self.", at)) != term.npos; at += child->term.size())
            term.replace(at, 4, child->term);
        return let(term.substr(7));
    }
    std::string feedForward(const Part& m, const std::string& x, std::string_view lastDropout) {
        const std::string inner = dropped(m, "dropout", activated(m, linear(m, "linear1", x)));
        return dropped(m, lastDropout, linear(m, "linear2", inner));
    }
    std::string self(const Part& m, const std::string& x, const Masks& masks) {
        return dropped(m, "dropout1", attend(needed(m, "self_attn"), {x, x, x}, masks, false).result);
    }
    std::string sum(const std::string& a, const std::string& b) { return let("torch.add(" + a + ", " + b + ")"); }

    /// The weights in the order of torch._transformer_encoder_layer_fwd; empty if the operator does not take them.
    static std::vector<std::string> fusedWeights(const Part& m) {
        const Part attention = needed(m, "self_attn");
        const std::pair<Part, std::string> weighted[] = {
            {attention, "in_proj_"},  {needed(attention, "out_proj"), ""}, {needed(m, "norm1"), ""},
            {needed(m, "norm2"), ""}, {needed(m, "linear1"), ""},          {needed(m, "linear2"), ""}};
        std::vector<std::string> out;
        for (const auto& [part, prefix] : weighted)
            for (const char* name : {"weight", "bias"}) {
                out.push_back(part.tensor(prefix + name));
                if (out.back() == "None") return {};
            }
        return out;
    }

    /// When PyTorch runs the layer as one operator; empty if it never does.
    static std::string fusedCondition(const Part& m, const std::string& src, const Masks& masks,
                                      const std::vector<std::string>& weights) {
        const Part attention = needed(m, "self_attn");
        const std::int64_t activation = m.integer("activation_relu_or_gelu");
        if (weights.empty() || !attention.flag("batch_first") || !attention.flag("_qkv_same_embed_dim") ||
            (activation != 1 && activation != 2) || attention.integer("num_heads") % 2 != 0 ||
            needed(m, "norm1").setting("eps") != needed(m, "norm2").setting("eps"))
            return {};
        std::string learns = src + ".requires_grad";
        for (const std::string& weight : weights) learns += " or " + weight + ".requires_grad";
        const bool isMasked = masks.mask != "None" || masks.padding != "None";
        return "not " + m.term + ".training and " + src + ".dim() == 3 and " +
               (isMasked ? "not " + src + ".is_nested and " : "") +
               "not torch.is_autocast_enabled() and not (torch.is_grad_enabled() and (" + learns + "))";
    }

    /// The masks of a fused layer as one, and the number of its kind.
    std::pair<std::string, std::string> fusedMask(const Masks& masks, const std::string& heads,
                                                  const std::string& src) {
        if (masks.mask == "None" && masks.padding == "None") return {"None", "None"};
        const std::string padding = masks.padding == "None" ? "None" : numbers(masks.padding, src);
        if (masks.mask == "None") return {padding, "1"};
        const std::string out = numbers(masks.mask, src), rows = src + ".size(0)", length = src + ".size(1)";
        line("if " + out + ".dim() == 3:");
        line("    " + out + " = " + out + ".view([" + rows + ", -1, " + length + ", " + length + "])");
        line("else:");
        line("    " + out + " = " + out + ".view([1, 1, " + length + ", " + length + "]).expand([" + rows + ", " +
             heads + ", -1, -1])");
        if (padding != "None")
            line(out + " = torch.add(" + out + ", " + padding + ".view([" + rows + ", 1, 1, " + length +
                 "]).expand([-1, " + heads + ", -1, -1]))");
        return {out, "2"};
    }

    std::string encoderLayer(const Part& m, const std::string& src, const Masks& masks) {
        if (m.module.className != "TransformerEncoderLayer") throw NoWords();
        const std::vector<std::string> weights = fusedWeights(m);
        const std::string condition = fusedCondition(m, src, masks, weights);
        if (condition.empty()) return plainEncoderLayer(m, src, masks);
        const Part attention = needed(m, "self_attn");
        const std::string out = let(src), heads = attention.setting("num_heads");
        line("if " + condition + ":");
        m_indent = "    ";
        const auto [mask, kind] = fusedMask(masks, heads, src);
        std::string call = out + " = torch._transformer_encoder_layer_fwd(" + src + ", " +
                           attention.setting("embed_dim") + ", " + heads;
        for (std::size_t i = 0; i < 4; ++i) call += ", " + weights[i];
        call += m.integer("activation_relu_or_gelu") == 2 ? ", True, " : ", False, ";
        call += m.setting("norm_first") + ", " + needed(m, "norm1").setting("eps");
        for (std::size_t i = 4; i < weights.size(); ++i) call += ", " + weights[i];
        line(call + ", " + mask + ", " + kind + ")");
        m_indent.clear();
        line("else:");
        m_indent = "    ";
        line(out + " = " + plainEncoderLayer(m, src, masks));
        m_indent.clear();
        return out;
    }

    std::string plainEncoderLayer(const Part& m, const std::string& src, const Masks& masks) {
        if (m.flag("norm_first")) {
            const std::string x = sum(src, self(m, norm(m, "norm1", src), masks));
            return sum(x, feedForward(m, norm(m, "norm2", x), "dropout2"));
        }
        const std::string x = norm(m, "norm1", sum(src, self(m, src, masks)));
        return norm(m, "norm2", sum(x, feedForward(m, x, "dropout2")));
    }

    std::string decoderLayer(const Part& m, const std::string& tgt, const std::string& memory, const Masks& own,
                             const Masks& other) {
        if (m.module.className != "TransformerDecoderLayer") throw NoWords();
        const auto cross = [&](const std::string& x) {
            return dropped(m, "dropout2",
                           attend(needed(m, "multihead_attn"), {x, memory, memory}, other, false).result);
        };
        if (m.flag("norm_first")) {
            std::string x = sum(tgt, self(m, norm(m, "norm1", tgt), own));
            x = sum(x, cross(norm(m, "norm2", x)));
            return sum(x, feedForward(m, norm(m, "norm3", x), "dropout3"));
        }
        std::string x = norm(m, "norm1", sum(tgt, self(m, tgt, own)));
        x = norm(m, "norm2", sum(x, cross(x)));
        return norm(m, "norm3", sum(x, feedForward(m, x, "dropout3")));
    }

    std::string normalised(const Part& m, const std::string& x) { return m.child("norm") ? norm(m, "norm", x) : x; }

    std::string encoder(const Part& m, std::string x, const Masks& masks) {
        const Part layers = needed(m, "layers");
        for (const Module::Child& child : layers.module.children)
            x = encoderLayer(needed(layers, child.name), x, masks);
        return normalised(m, x);
    }
    std::string decoder(const Part& m, std::string x, const std::string& memory, const Masks& own, const Masks& other) {
        const Part layers = needed(m, "layers");
        for (const Module::Child& child : layers.module.children)
            x = decoderLayer(needed(layers, child.name), x, memory, own, other);
        return normalised(m, x);
    }

    std::string m_lines, m_indent; ///< the latter inside a branch
    int m_count = 0;
};

} // namespace

std::optional<std::string> attentionBody(const Module& module, const Terms& inputs) {
    static constexpr std::string_view kClasses[] = {"MultiheadAttention", "TransformerEncoderLayer",
                                                    "TransformerEncoder", "TransformerDecoderLayer",
                                                    "TransformerDecoder", "Transformer"};
    if (std::find(std::begin(kClasses), std::end(kClasses), module.className) == std::end(kClasses))
        return std::nullopt;
    try {
        Body body;
        const std::string result = body.forward(inputs, {module, "self"});
        return body.lines() + "return " + result;
    } catch (const NoWords&) { return std::string(); }
}

} // namespace fx::script
