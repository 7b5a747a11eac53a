// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/onednn.h"

#include "core/module/call_semantics.h"
#include "core/passes/fusion/conv_bn_fuse.h"
#include "core/passes/fusion/fuse_patterns.h"
#include "core/passes/fusion/layer_writer.h"
#include "core/passes/fusion/onednn_layout.h"
#include "core/passes/remove_dropout.h"
#include "core/shapes/annotate.h"
#include "core/timing/statistics.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

namespace fx {
namespace {

using onednn::FusedLayer;
using onednn::FusedNorm;
using onednn::Kernel;
using onednn::LayerTimes;
using Kernels = std::vector<std::optional<Kernel>>; ///< of layers, in order; nullopt: the layer stays as it is

std::string number(double value, const char* format = "%.3g") {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

/// "factor", "low", "high": how many times as fast, with the interval of 95 %.
struct Speed {
    explicit Speed(const timing::RatioTiming& ratio)
        : factor("factor", number(1 / ratio.ratio)), low("low", number(1 / ratio.ci95.high)),
          high("high", number(1 / ratio.ci95.low)) {}
    MessageArgument factor, low, high;
};

/// What a kernel takes, by the ratio of paired runs: the median of its own runs may contradict it.
double millisOf(const LayerTimes& times, Kernel kernel) { return times.plain * times.of(kernel)->ratio.ratio; }
double afterMs(const onednn::WholeTimes& times) { return times.beforeMs * times.ratio.ratio; }

bool isShownSlower(const LayerTimes& times, Kernel kernel) {
    return times.rounds >= timing::kFewestRounds && times.of(kernel)->ratio.ci95.low > 1 + times.noiseFloor;
}

/// A model whose modules draw random numbers or update their statistics is not for use yet.
void refuseTraining(const GraphModule& model) {
    const CallSemantics semantics(*model.root);
    PathResolver paths(*model.root);
    for (const Node& node : model.graph.nodes()) {
        const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
        if (module && module->training && (semantics.isRandom(node) || semantics.hasEffect(node)))
            throw Error(ErrorKind::Refused, Message("passes.onednn_training", {{"module", node.target()}}))
                .onNode(node.name())
                .onModule(node.target());
    }
}

class Optimisation {
public:
    explicit Optimisation(const PassRun& run) : m_run(run), m_before(run.model) {}

    bool make() {
        bool changed = prepare();
        const onednn::FusedLayers found = onednn::findFusedLayers(m_run.model);
        for (const onednn::LeftOut& each : found.leftOut) note(each.node, each.why);
        const std::vector<FusedLayer> possible = inAnyLayout(found.layers);
        const bool measures = m_run.settings.flag("measure");
        const std::vector<LayerTimes> times = measures ? timesOf(possible) : std::vector<LayerTimes>(possible.size());
        changed |= fuse(possible, times, measures ? chosen(possible, times) : Kernels(possible.size(), Kernel::OneDnn));
        changed |= keepLayouts(m_run);
        changed |= fuseNorms(measures);
        return changed && (!measures || isWorthIt());
    }

private:
    void note(const std::string& node, const Message& what) {
        if (m_run.notes) m_run.notes->push_back({what, node, {}, {}});
    }
    void note(NodeId node, const Message& what) { note(m_run.graph().node(node).name(), what); }

    /// The reasons of pairs that stay are part of the report.
    bool foldNormsNoting() {
        const GraphModule before = m_run.model;
        Warnings reasons;
        const bool changed = foldNorms(
            {m_run.model, m_run.settings, reasons, m_run.progress, m_run.engine, m_run.watch}, FoldedPairs::All);
        noteFolded(before);
        for (const Warning& each : reasons) note(each.node, each.what);
        return changed;
    }

    void noteFolded(const GraphModule& before) {
        PathResolver paths(*before.root);
        for (const Node& node : before.graph.nodes()) {
            if (m_run.graph().find(node.name()) != kNoNode || node.inputs().empty()) continue;
            const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
            if (module ? !module->className.starts_with("BatchNorm") : canonicalName(node) != "batch_norm") continue;
            const std::string layer = before.graph.node(node.inputs().front()).name();
            note(layer, Message("passes.onednn_folded", {{"nodes", layer + " + " + node.name()}}));
        }
    }

    /// What is faster in any library, and lets layers meet what follows them.
    bool prepare() {
        bool changed = foldNormsNoting();
        changed |= runPart(m_run, removeDropoutPass(), "{}");
        noteShapes(m_run.graph(), m_run.engine->shapes(m_run.model));
        changed |= runPart(m_run, fusePatternsPass(),
                           R"({"operators": ["scaled_dot_product_attention", "layer_norm", "gelu",)"
                           R"( "hardswish", "hardsigmoid", "silu"]})");
        return changed;
    }

    /// Without convolutions, whose values are channels_last, if the model relies on the order in memory.
    std::vector<FusedLayer> inAnyLayout(std::vector<FusedLayer> layers) {
        if (!writesThroughViews(m_run.model)) return layers;
        std::erase_if(layers, [&](const FusedLayer& each) {
            if (each.layer.kind == onednn::Layer::Kind::Linear) return false;
            note(each.layer.node, Message("passes.onednn_view"));
            return true;
        });
        return layers;
    }

    /// Of each layer, in order: measured in a copy that has them all.
    std::vector<LayerTimes> timesOf(const std::vector<FusedLayer>& layers) {
        if (layers.empty()) return {};
        const auto [all, paths] = withLayers(layers, Kernels(layers.size(), Kernel::OneDnn));
        std::map<std::string, LayerTimes> measured;
        for (LayerTimes& each : m_run.engine->layerTimes(all)) measured[each.path] = std::move(each);
        std::vector<LayerTimes> out;
        for (const std::string& path : paths) out.push_back(measured[path]);
        return out;
    }

    /// A copy of the model with these kernels, and the modules of the layers that have one.
    std::pair<GraphModule, std::vector<std::string>> withLayers(const std::vector<FusedLayer>& layers,
                                                                const Kernels& kernels) {
        std::pair<GraphModule, std::vector<std::string>> out{m_run.model, {}};
        {
            LayerWriter writer(out.first);
            for (std::size_t i = 0; i < layers.size(); ++i)
                if (kernels[i]) out.second.push_back(writer.write(layers[i], *kernels[i]));
        }
        Warnings ignored;
        (void)keepLayouts({out.first, m_run.settings, ignored, m_run.progress, m_run.engine});
        return out;
    }

    /// The kernel of each layer that is shown to be faster. Layers that are not, alone, can still make the model
    /// faster: small gains add up, and what follows a convolution (pooling, cat, normalisation) is fast where values
    /// are channels_last. So these layers are tried together too.
    Kernels chosen(const std::vector<FusedLayer>& layers, const std::vector<LayerTimes>& times) {
        Kernels shown, together;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            shown.push_back(times[i].best());
            together.push_back(shown[i] ? shown[i] : promising(layers[i], times[i]));
        }
        if (together == shown) return shown;
        const onednn::WholeTimes whole =
            m_run.engine->wholeTimes(withLayers(layers, shown).first, withLayers(layers, together).first);
        return whole.isFaster() ? together : shown;
    }

    static std::optional<Kernel> promising(const FusedLayer& layer, const LayerTimes& times) {
        const auto fastest = times.fastest();
        if (fastest && times.of(*fastest)->ratio.ratio < 1) return fastest;
        const bool isConvolution = layer.layer.kind != onednn::Layer::Kind::Linear;
        return isConvolution && times.oneDnn ? std::optional(Kernel::OneDnn) : std::nullopt;
    }

    bool fuse(const std::vector<FusedLayer>& layers, const std::vector<LayerTimes>& times, const Kernels& kernels) {
        LayerWriter writer(m_run.model);
        const bool operators = m_run.settings.flag("operators");
        bool changed = false;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            m_run.progress.check();
            const NodeId result = layers[i].result();
            const std::string name = m_run.graph().node(layers[i].layer.node).name();
            const auto kernel = kernels[i];
            if (!kernel) {
                note(name, whyNot(times[i]));
                continue;
            }
            const Message fused = fusedMessage(layers[i], times[i], *kernel);
            if (!m_run.rewrite(result, [&] {
                    if (operators) writer.writeOperator(layers[i]);
                    else (void)writer.write(layers[i], *kernel);
                }))
                continue;
            note(name, fused);
            changed = true;
        }
        if (changed && operators) m_run.warnings.push_back({Message("passes.onednn_dense"), {}, {}, {}});
        return changed;
    }

    /// Normalisations with what is around them, all or none.
    bool fuseNorms(bool measures) {
        const std::vector<FusedNorm> norms = onednn::findFusedNorms(m_run.model);
        if (norms.empty() || m_run.settings.flag("operators")) return false;
        if (measures && !areFaster(norms)) return false;
        LayerWriter writer(m_run.model);
        bool changed = false;
        for (const FusedNorm& each : norms) {
            const std::string name = m_run.graph().node(each.norm).name();
            const Message fused("passes.onednn_norm",
                                {{"nodes", namesOf(each.nodes)}, {"kernel", onednn::kernelWord(Kernel::OnePass)}});
            if (!m_run.rewrite(each.result(), [&] { (void)writer.write(each); })) continue;
            note(name, fused);
            changed = true;
        }
        return changed;
    }

    bool areFaster(const std::vector<FusedNorm>& norms) {
        GraphModule fused = m_run.model;
        {
            LayerWriter writer(fused);
            for (const FusedNorm& each : norms) (void)writer.write(each);
        }
        const onednn::WholeTimes times = m_run.engine->wholeTimes(m_run.model, fused);
        if (times.isFaster()) return true;
        for (const FusedNorm& each : norms)
            note(each.norm, Message("passes.onednn_norms_slower",
                                    {{"before", number(times.beforeMs)}, {"after", number(afterMs(times))}}));
        return false;
    }

    Message fusedMessage(const FusedLayer& layer, const LayerTimes& times, Kernel kernel) const {
        const MessageArgument nodes("nodes", namesOf(layer.nodes)), word("kernel", onednn::kernelWord(kernel));
        if (!times.of(kernel)) return Message("passes.onednn_unmeasured", {nodes, word});
        const MessageArgument millis("millis", number(millisOf(times, kernel))), plain("plain", number(times.plain));
        if (!times.best())
            return times.of(kernel)->ratio.ratio < 1
                       ? Message("passes.onednn_together", {nodes, word, millis, plain})
                       : Message("passes.onednn_channels_last", {nodes, word, millis, plain});
        const Speed fast(times.of(kernel)->ratio);
        return Message("passes.onednn_fused", {nodes, word, millis, plain, fast.factor, fast.low, fast.high});
    }

    static Message whyNot(const LayerTimes& times) {
        const auto kernel = times.fastest();
        if (!kernel) return Message("passes.onednn_impossible", {{"detail", times.problem}});
        const MessageArgument word("kernel", onednn::kernelWord(*kernel)),
            millis("millis", number(millisOf(times, *kernel))), plain("plain", number(times.plain));
        if (times.rounds < timing::kFewestRounds)
            return Message("passes.onednn_layer_few", {word, millis, plain, {"count", times.rounds}});
        const timing::RatioTiming& ratio = times.of(*kernel)->ratio;
        const Speed fast(ratio);
        if (timing::mayReplace(ratio, times.rounds, 0)) // but for the noise
            return Message(
                "passes.onednn_layer_noise",
                {word, millis, plain, fast.factor, fast.low, fast.high, {"noise", number(times.noiseFloor * 100)}});
        if (isShownSlower(times, *kernel))
            return Message("passes.onednn_slower", {word, millis, plain, fast.factor, fast.low, fast.high});
        return Message("passes.onednn_kernel", {word, millis, plain, fast.factor, fast.low, fast.high});
    }

    std::string namesOf(const std::vector<NodeId>& nodes) const {
        std::string names;
        for (const NodeId id : nodes) names += (names.empty() ? "" : " + ") + m_run.graph().node(id).name();
        return names;
    }

    /// The whole model against what it was; undone unless it is shown to be faster.
    bool isWorthIt() {
        const onednn::WholeTimes times = m_run.engine->wholeTimes(m_before, m_run.model);
        for (const Message& each : times.doubts) m_run.warnings.push_back({each, {}, {}, {}});
        const MessageArgument before("before", number(times.beforeMs)), after("after", number(afterMs(times)));
        const Speed fast(times.ratio);
        if (times.isFaster()) {
            note(std::string(), Message("passes.onednn_whole", {before, after, fast.factor, fast.low, fast.high}));
            return true;
        }
        m_run.model = m_before;
        tellUnchanged();
        note(std::string(), times.hasTooFew() ? Message("passes.onednn_few", {before, after, {"count", times.rounds}})
                                              : Message("passes.onednn_not_faster",
                                                        {before, after, fast.factor, fast.low, fast.high}));
        return false;
    }

    /// The report is of the model as it stays: nothing in it is fused.
    void tellUnchanged() {
        if (!m_run.notes) return;
        for (Warning& each : *m_run.notes) {
            const auto of = [&](std::string_view name) { return MessageArgument(name, each.what.argument(name)); };
            if (each.what.is("passes.onednn_norm"))
                each.what = Message("passes.onednn_norm_stays", {of("nodes"), of("kernel")});
            else if (each.what.is("passes.onednn_folded"))
                each.what = Message("passes.onednn_folded_stays", {of("nodes")});
            else if (each.what.is("passes.onednn_fused") || each.what.is("passes.onednn_together") ||
                     each.what.is("passes.onednn_channels_last"))
                each.what = Message("passes.onednn_stays", {of("nodes"), of("kernel"), of("millis"), of("plain")});
        }
    }

    const PassRun& m_run;
    const GraphModule m_before;
};

bool optimise(const PassRun& run) {
    if (!run.model.lifted.empty()) throw Error(ErrorKind::Refused, Message("passes.exported_modules"));
    refuseTraining(run.model);
    return Optimisation(run).make();
}

} // namespace

Pass onednnPass() {
    return {"onednn",
            "makes a model faster on this machine: layers and the calls after them become packed kernels of oneDNN or "
            "MKL where measured to be faster; for models in eval mode",
            {{"measure",
              "time each layer and the whole model and keep what is faster; false: fuse every layer without timing",
              "true"},
             {"operators",
              "call operators of oneDNN on unpacked weights, which PyTorch runs too, instead of modules whose weights "
              "Lancet packs",
              "false"}},
            optimise,
            {},
            true};
}

} // namespace fx
