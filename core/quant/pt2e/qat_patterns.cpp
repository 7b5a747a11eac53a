// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/qat_patterns.h"

#include "core/trace/callables.h"

namespace fx::quant::pt2e {
namespace {

constexpr double kEps = 1e-5;

class Builder {
public:
    explicit Builder(const QatPattern& pattern) : m_pattern(pattern) {
        m_out.root->className = "GraphModule";
        m_out.root->classModule = "torch.fx.graph_module";
    }

    NodeId input(const std::string& name) { return m_out.graph.placeholder(name, {}, {}, name); }
    NodeId call(const std::string& op, const char* name, std::vector<Argument> args, Kwargs kwargs = {}) {
        return m_out.graph.callFunction(resolveCallable("torch.ops." + op), std::move(args), std::move(kwargs), name);
    }
    NodeId conv(NodeId x, NodeId weight, NodeId bias) {
        std::vector<Argument> args{x, weight};
        if (bias != kNoNode) args.emplace_back(bias);
        const bool isInput = m_pattern.conv == "conv_transpose2d"; // the overload's name
        return call("aten." + m_pattern.conv + (isInput ? ".input" : ".default"), m_pattern.conv.c_str(),
                    std::move(args));
    }
    NodeId norm(NodeId x, NodeId weight, NodeId bias, NodeId mean, NodeId variance) {
        return call("aten.batch_norm.default", "batch_norm", {x, weight, bias, mean, variance, true, 0.1, kEps, false});
    }
    NodeId reshaped(NodeId x, std::size_t channel, const char* name) {
        std::vector<Argument> sizes(m_pattern.dimensions(), Argument(1));
        sizes[channel] = Argument(-1);
        return call("aten.reshape.default", name, {x, Argument::list(std::move(sizes))});
    }
    NodeId zerosLike(NodeId x) {
        return call("aten.zeros_like.default", "zeros_like", {x},
                    {{"dtype", Argument::dtype("torch.float32")}, {"pin_memory", false}});
    }
    /// The quantised and dequantised value; literals are replaced later.
    NodeId quantised(NodeId x, NodeId scale, NodeId zeroPoint) {
        const std::string kind = m_pattern.isPerChannel ? "per_channel" : "per_tensor";
        std::vector<Argument> rest;
        if (m_pattern.isPerChannel) rest = {scale, zeroPoint, 0, -127, 127, Argument::dtype("torch.int8")};
        else rest = {1.0, 0, -127, 127, Argument::dtype("torch.int8")};
        for (const char* way : {"quantize_", "dequantize_"}) {
            std::vector<Argument> args{x};
            args.insert(args.end(), rest.begin(), rest.end());
            x = call("quantized_decomposed." + (way + kind) + ".default", (way + kind).c_str(), std::move(args));
        }
        return x;
    }
    GraphModule finish(NodeId result) {
        m_out.graph.output(Argument::tuple({result}));
        return std::move(m_out);
    }

private:
    const QatPattern& m_pattern;
    GraphModule m_out;
};

/// The nodes between weight and result in training. `quantise`: what happens to the scaled weight.
struct Inputs {
    NodeId x, weight, bias, normWeight, normBias, mean, variance;
};
template<class Quantise> NodeId trained(Builder& build, const QatPattern& pattern, const Inputs& in,
                                        std::size_t weightChannel, const Quantise& quantise) {
    const NodeId add = build.call("aten.add.Tensor", "add", {in.variance, kEps});
    const NodeId root = build.call("aten.sqrt.default", "sqrt", {add});
    const NodeId scale = build.call("aten.div.Tensor", "div", {in.normWeight, root});
    const NodeId shaped = build.reshaped(scale, weightChannel, "reshape");
    const NodeId weight = quantise(build.call("aten.mul.Tensor", "mul", {in.weight, shaped}));
    const NodeId zeros = pattern.hasBias ? build.zerosLike(in.bias) : kNoNode;
    NodeId x = build.conv(in.x, weight, zeros);
    x = build.call("aten.div.Tensor", "div_1", {x, build.reshaped(scale, 1, "reshape_1")});
    if (pattern.hasBias) x = build.call("aten.add.Tensor", "add_1", {x, build.reshaped(in.bias, 1, "reshape_2")});
    return build.norm(x, in.normWeight, in.normBias, in.mean, in.variance);
}

Inputs sevenInputs(Builder& build) {
    Inputs in{};
    NodeId* const places[] = {&in.x, &in.weight, &in.bias, &in.normWeight, &in.normBias, &in.mean, &in.variance};
    for (std::size_t i = 0; i < std::size(places); ++i) *places[i] = build.input("args_" + std::to_string(i));
    return in;
}

struct QuantisedInputs {
    Inputs in;
    NodeId scale = kNoNode, zeroPoint = kNoNode;
};
QuantisedInputs quantisedInputs(Builder& build, const QatPattern& pattern) {
    QuantisedInputs all{};
    Inputs& in = all.in;
    NodeId* const places[] = {&in.x, &in.weight, &in.normWeight, &in.normBias, &in.mean, &in.variance};
    for (std::size_t i = 0; i < std::size(places); ++i) *places[i] = build.input("args_" + std::to_string(i));
    if (pattern.isPerChannel) {
        all.scale = build.input("weight_scale");
        all.zeroPoint = build.input("weight_zero_point");
    }
    in.bias = pattern.hasBias ? build.input("conv_bias") : kNoNode;
    return all;
}

} // namespace

GraphModule convNormPattern(const QatPattern& pattern) {
    Builder build(pattern);
    const Inputs in = sevenInputs(build);
    const NodeId conv = build.conv(in.x, in.weight, in.bias);
    return build.finish(build.norm(conv, in.normWeight, in.normBias, in.mean, in.variance));
}

GraphModule trainedPattern(const QatPattern& pattern) {
    Builder build(pattern);
    const Inputs in = sevenInputs(build);
    return build.finish(trained(build, pattern, in, pattern.isTransposed() ? 1 : 0, [](NodeId id) { return id; }));
}

GraphModule quantisedPattern(const QatPattern& pattern) {
    Builder build(pattern);
    const QuantisedInputs all = quantisedInputs(build, pattern);
    return build.finish(
        trained(build, pattern, all.in, 0, [&](NodeId id) { return build.quantised(id, all.scale, all.zeroPoint); }));
}

GraphModule foldedPattern(const QatPattern& pattern) {
    Builder build(pattern);
    const QuantisedInputs all = quantisedInputs(build, pattern);
    const Inputs& in = all.in;
    const NodeId weight = build.quantised(in.weight, all.scale, all.zeroPoint);
    const NodeId conv = build.conv(in.x, weight, in.bias);
    return build.finish(build.norm(conv, in.normWeight, in.normBias, in.mean, in.variance));
}

} // namespace fx::quant::pt2e
