// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/attention.h"

#include <array>
#include <cmath>

// The steps are those of PyTorch's Python code, so that the same kernels see the same layouts: the results agree bit
// for bit. They branch on which inputs are one tensor, on dimensions and on dtypes, which a script does not know when
// it is written: core/torchscript/writing/script_attention is another program, without these branches, and the patterns
// of core/torchscript/leaf_table are records of this one, one for each path.
namespace fx::engine {
namespace {

using Triple = std::array<Value, 3>;

Value linear(const Value& x, const Value& weight, const Value& bias) {
    return callFunction("torch._C._nn.linear", {x, weight, bias});
}
std::int64_t sizeOf(const Value& x, std::int64_t dim) { return x.tensor().size(dim); }
Value view(const Value& x, std::vector<std::int64_t> sizes) { return callMethod("view", {x, Value::size(sizes)}); }
Value chunk(const Value& x, std::size_t i) { return callMethod("chunk", {x, 3}).items()->items.at(i); }

/// One product for `count` projections of one input, as parts of one contiguous tensor.
Values packed(const Value& x, const Value& weight, const Value& bias, std::int64_t count) {
    Value all = linear(x, weight, bias);
    all = callMethod("unflatten", {all, -1, Value::tuple({count, sizeOf(x, -1)})});
    all =
        callMethod("contiguous",
                   {callMethod("squeeze", {callMethod("transpose", {callMethod("unsqueeze", {all, 0}), 0, -2}), -2})});
    Values parts;
    for (std::int64_t i = 0; i < count; ++i) parts.push_back(subscriptOf(all, i));
    return parts;
}

Triple projectPacked(const Value& q, const Value& k, const Value& v, const Value& weight, const Value& bias) {
    const std::int64_t width = sizeOf(q, -1);
    if (k.tensor().is_same(v.tensor()) && q.tensor().is_same(k.tensor())) {
        const Values parts = packed(q, weight, bias, 3);
        return {parts[0], parts[1], parts[2]};
    }
    if (k.tensor().is_same(v.tensor())) {
        const Value sizes = Value::list({width, 2 * width});
        const Values weights = callMethod("split", {weight, sizes}).items()->items;
        Values biases(2);
        if (!bias.isNone()) biases = callMethod("split", {bias, sizes}).items()->items;
        const Value query = linear(q, weights[0], biases[0]);
        const Values parts = packed(k, weights[1], biases[1], 2);
        return {query, parts[0], parts[1]};
    }
    const auto part = [&](std::size_t i) { return bias.isNone() ? Value() : chunk(bias, i); };
    return {linear(q, chunk(weight, 0), part(0)), linear(k, chunk(weight, 1), part(1)),
            linear(v, chunk(weight, 2), part(2))};
}

Triple project(const Names& n, const Value& q, const Value& k, const Value& v) {
    if (!n.flag("use_separate_proj_weight")) return projectPacked(q, k, v, n["in_proj_weight"], n["in_proj_bias"]);
    const Value bias = n["in_proj_bias"];
    const auto part = [&](std::size_t i) { return bias.isNone() ? Value() : chunk(bias, i); };
    return {linear(q, n["q_proj_weight"], part(0)), linear(k, n["k_proj_weight"], part(1)),
            linear(v, n["v_proj_weight"], part(2))};
}

struct Heads {
    Value q, k, v, mask, padding;
    std::int64_t batch = 0, heads = 0, width = 0, target = 0, source = 0;
};

Value splitHeads(const Value& x, const Heads& h) {
    return callMethod("transpose", {view(x, {sizeOf(x, 0), h.batch * h.heads, h.width}), 0, 1});
}
Value padMask(const Value& mask) {
    return mask.isNone() ? mask : callFunction("torch.nn.functional.pad", {mask, Value::tuple({0, 1})});
}

void appendBiases(const Names& n, Heads& h) {
    if (!n.given("bias_k")) return;
    const auto extended = [&](const Value& x, const Value& bias) {
        return callFunction("torch.cat", {Value::list({x, callMethod("repeat", {bias, 1, h.batch, 1})})});
    };
    h.k = extended(h.k, n["bias_k"]), h.v = extended(h.v, n["bias_v"]);
    h.mask = padMask(h.mask), h.padding = padMask(h.padding);
}

void appendZeros(Heads& h) {
    const auto extended = [&](const Value& x) {
        const Value zeros = callFunction("torch.zeros", Arguments{{Value::tuple({h.batch * h.heads, 1, h.width})},
                                                                  {{"dtype", x.tensor().scalar_type()}}});
        return callFunction("torch.cat", Arguments{{Value::list({x, zeros})}, {{"dim", 1}}});
    };
    h.k = extended(h.k), h.v = extended(h.v);
    h.mask = padMask(h.mask), h.padding = padMask(h.padding);
}

void mergePadding(Heads& h) {
    if (h.padding.isNone()) return;
    Value padding = callMethod("expand", {view(h.padding, {h.batch, 1, 1, h.source}), -1, h.heads, -1, -1});
    padding = callMethod("reshape", {padding, h.batch * h.heads, 1, h.source});
    h.mask = h.mask.isNone() ? padding : binaryOf("add", h.mask, padding);
}

Value outProjection(const Names& n, const Value& x, const Heads& h) {
    const Value out = linear(x, n["out_proj_weight"], n["out_proj_bias"]);
    return view(out, {h.target, h.batch, sizeOf(out, 1)});
}

/// With weights: the products are spelled out.
Value weighted(const Names& n, const Heads& h, double dropout, bool batched) {
    const Value scaled = binaryOf("mul", h.q, std::sqrt(1.0 / static_cast<double>(sizeOf(h.q, 2)))),
                keys = callMethod("transpose", {h.k, -2, -1});
    Value weights = h.mask.isNone() ? callFunction("torch.bmm", {scaled, keys})
                                    : callFunction("torch.baddbmm", {h.mask, scaled, keys});
    weights = callFunction("torch.softmax", {weights, -1});
    if (dropout > 0) weights = callFunction("torch.dropout", {weights, dropout, true});
    Value out = callMethod("transpose", {callFunction("torch.bmm", {weights, h.v}), 0, 1});
    out = outProjection(n, callMethod("reshape", {out, h.target * h.batch, h.width * h.heads}), h);
    weights = view(weights, {h.batch, h.heads, h.target, h.source});
    if (n.flag("average_attn_weights")) weights = callMethod("mean", Arguments{{weights}, {{"dim", 1}}});
    if (!batched) out = callMethod("squeeze", {out, 1}), weights = callMethod("squeeze", {weights, 0});
    return Value::tuple({out, weights});
}

/// Without weights: one fused operator.
Value fused(const Names& n, const Heads& h, double dropout, bool causal, bool batched) {
    Value mask = h.mask;
    if (!mask.isNone())
        mask = sizeOf(mask, 0) == 1 && mask.tensor().dim() == 3 ? callMethod("unsqueeze", {mask, 0})
                                                                : view(mask, {h.batch, h.heads, -1, h.source});
    const auto perHead = [&](const Value& x, std::int64_t length) {
        return view(x, {h.batch, h.heads, length, h.width});
    };
    Value out =
        callFunction("torch._C._nn.scaled_dot_product_attention",
                     {perHead(h.q, h.target), perHead(h.k, h.source), perHead(h.v, h.source), mask, dropout, causal});
    out = callMethod("reshape", {callMethod("permute", {out, 2, 0, 1, 3}), h.batch * h.target, h.width * h.heads});
    out = outProjection(n, out, h);
    return Value::tuple({batched ? out : callMethod("squeeze", {out, 1}), {}});
}

} // namespace

Value canonicalMask(const Value& mask, const Value& like) {
    if (mask.isNone() || mask.tensor().is_floating_point()) return mask;
    if (mask.tensor().scalar_type() != at::kBool)
        throw runError(Message("engine.attention_mask", {{"got", scalarTypeName(mask.tensor().scalar_type())}}));
    const Value zeros = callFunction("torch.zeros_like", Arguments{{mask}, {{"dtype", like.tensor().scalar_type()}}});
    return callMethod("masked_fill_", {zeros, mask, -INFINITY});
}

Value multiHeadAttention(const Names& n) {
    Value query = n["query"], key = n["key"], value = n["value"];
    Heads h;
    h.padding = n["key_padding_mask"], h.mask = n["attn_mask"];
    const bool batched = query.tensor().dim() == 3;
    if (!batched) {
        query =
            callMethod("unsqueeze", {query, 1}); // each by itself, as in PyTorch: three different tensors from here on
        key = callMethod("unsqueeze", {key, 1});
        value = callMethod("unsqueeze", {value, 1});
        if (!h.padding.isNone()) h.padding = callMethod("unsqueeze", {h.padding, 0});
    }
    h.target = sizeOf(query, 0), h.batch = sizeOf(query, 1), h.heads = n.integer("num_heads"),
    h.width = sizeOf(query, 2) / h.heads;
    h.padding = canonicalMask(h.padding, query);
    bool causal = n.flag("is_causal");
    if (causal && h.mask.isNone()) throw raised("RuntimeError: Need attn_mask if specifying the is_causal hint.");
    if (causal && h.padding.isNone() && !n.flag("need_weights")) h.mask = {};
    else h.mask = canonicalMask(h.mask, query), causal = causal && h.padding.isNone();
    const Triple projected = project(n, query, key, value);
    h.q = projected[0], h.k = projected[1], h.v = projected[2];
    if (!h.mask.isNone() && h.mask.tensor().dim() == 2) h.mask = callMethod("unsqueeze", {h.mask, 0});
    appendBiases(n, h);
    h.q = splitHeads(h.q, h);
    h.k = n.given("static_k") ? n["static_k"] : splitHeads(h.k, h);
    h.v = n.given("static_v") ? n["static_v"] : splitHeads(h.v, h);
    if (n.flag("add_zero_attn")) appendZeros(h);
    h.source = sizeOf(h.k, 1);
    mergePadding(h);
    const double dropout = n.flag("training") ? n.real("dropout_p") : 0.0;
    return n.flag("need_weights") ? weighted(n, h, dropout, batched) : fused(n, h, dropout, causal, batched);
}

} // namespace fx::engine
