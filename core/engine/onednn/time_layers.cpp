// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/onednn/time_layers.h"

#include "core/base/listed.h"
#include "core/engine/calls.h"
#include "core/engine/kept_memory.h"
#include "core/engine/machine.h"
#include "core/engine/onednn/packed_layer.h"
#include "core/onednn/layer_memory.h"
#include "core/timing/machine_load.h"
#include "core/timing/measure.h"
#include "core/timing/statistics.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <unordered_map>

namespace fx::engine {
namespace {

using onednn::LayerTimes;
using LayerClock = std::chrono::steady_clock;

std::string listed(at::IntArrayRef numbers) { return fx::joined(numbers, "x"); }

/// What the time of a layer depends on: "convolution 1x64x56x56 ...".
std::string keyOf(const onednn::FusedLayer& fused, const at::Tensor& x) {
    static constexpr const char* kKinds[] = {"convolution", "transposed", "linear"};
    const onednn::Layer& layer = fused.layer;
    std::string key = kKinds[static_cast<std::size_t>(layer.kind)];
    key += " " + std::string(scalarTypeName(x.scalar_type())) + " " + listed(x.sizes()) + " w" +
           listed(layer.weight->sizes) + " s" + listed(layer.stride) + " p" + listed(layer.padding) + " d" +
           listed(layer.dilation) + " o" + listed(layer.outputPadding) + " g" + std::to_string(layer.groups);
    if (layer.bias) key += " bias";
    if (fused.other != kNoNode) key += " add";
    if (fused.activation) key += " " + fused.activation->name + fused.activation->algorithm;
    return key;
}

/// Whether the machine had nothing else to do between two readings.
bool wasQuiet(const timing::ProcessorTime& before, const timing::ProcessorTime& after) {
    timing::Environment machine;
    machine.processors = timing::machineEnvironment().processors;
    noteLoad(machine, before, after);
    return doubts(machine).empty();
}

/// A fused layer ready to run in all possible ways: its nodes as they are first, then the kernels.
class LayerVariants {
public:
    LayerVariants(const Module& module, const onednn::FusedLayer& layer, Values inputs,
                  const std::shared_ptr<TensorStore>& tensors, const Progress& progress)
        : m_progress(progress), m_given(std::move(inputs)), m_contiguous{m_given, {}},
          m_plain(module.graphModule, tensors), m_oneDnn(*module.graphModule, layer, onednn::Kernel::OneDnn, tensors),
          m_mkl(*module.graphModule, layer, onednn::Kernel::Mkl, tensors) {
        for (Value& each : m_contiguous.positional)
            if (each.isTensor()) each = each.tensor().contiguous();
        m_last = channelsLast();
        m_hasOneDnn = m_oneDnn.run(m_last, false).has_value();
        m_hasMkl = layer.layer.kind == onednn::Layer::Kind::Linear && m_mkl.run(m_given, false).has_value();
    }

    std::vector<timing::Subject> subjects() {
        std::vector<timing::Subject> out{timed([this] { m_plain.run(m_contiguous); })};
        if (m_hasOneDnn) out.push_back(timed([this] { (void)m_oneDnn.run(m_last, false); }));
        if (m_hasMkl) out.push_back(timed([this] { (void)m_mkl.run(m_given, false); }));
        return out;
    }

    LayerTimes measured(double mostSeconds) {
        timing::SessionOptions options;
        options.seconds = 0.03, options.blockMs = 0.5, options.mostRounds = 25;
        options.fewestRounds = timing::kFewestRounds, options.mostSeconds = mostSeconds;
        const timing::SessionResult session = timing::measure(subjects(), options);
        LayerTimes out;
        out.plain = session.variants[0].medianMs, out.problem = m_oneDnn.problem();
        out.rounds = session.rounds, out.noiseFloor = session.noiseFloor;
        const auto of = [&](std::size_t i) {
            return onednn::KernelTime{session.variants[i].medianMs, session.ratios[i - 1]};
        };
        if (m_hasOneDnn) out.oneDnn = of(1);
        if (m_hasMkl) out.mkl = of(session.variants.size() - 1);
        return out;
    }

    /// The shortest of three runs each, after one that learns the kernels.
    std::vector<double> shortest() {
        std::vector<double> out;
        for (const timing::Subject& each : subjects()) {
            (void)each(1);
            out.push_back(std::min({each(1), each(1), each(1)}));
        }
        return out;
    }

private:
    template<class Work> timing::Subject timed(Work work) {
        return [this, work](std::size_t runs) {
            m_progress.check();
            const KeptMemory::Scope memory(m_memory); // as in runs of an optimised model
            const auto start = LayerClock::now();
            for (std::size_t i = 0; i < runs; ++i) work();
            return std::chrono::duration<double, std::milli>(LayerClock::now() - start).count();
        };
    }
    /// Convolutions follow convolutions, so that their inputs are channels_last, but for the first.
    Values channelsLast() {
        Values out = m_given;
        const auto result = m_oneDnn.run(m_given, false);
        if (!result || m_oneDnn.other() < 0) return out;
        Value& other = out[static_cast<std::size_t>(m_oneDnn.other())];
        other = other.tensor().contiguous(result->tensor().suggest_memory_format());
        return out;
    }

    const Progress& m_progress;
    KeptMemory m_memory;
    Values m_given;
    RunInputs m_contiguous;
    Values m_last;
    Interpreter m_plain;
    PackedLayer m_oneDnn, m_mkl;
    bool m_hasOneDnn = false, m_hasMkl = false;
};

class LayerTimer {
public:
    LayerTimer(std::shared_ptr<TensorStore> tensors, const std::string& memory)
        : m_tensors(std::move(tensors)), m_memory(memory), m_start(timing::processorTime()) {}

    LayerTimes time(const Module& module, const Values& inputs, const Progress& progress) {
        const auto layer = onednn::asFusedLayer(*module.graphModule);
        const at::Tensor* x = layer ? inputOf(*module.graphModule, *layer, inputs) : nullptr;
        if (!x) return {};
        const std::string key = keyOf(*layer, *x);
        const LayerTimes* known = m_memory.find(key);
        if (known && m_memory.isNew(key)) return *known;
        LayerVariants variants(module, *layer, inputs, m_tensors, progress);
        if (known && isPlausible(*known, variants.shortest())) return m_memory.confirm(key), *known;
        const LayerTimes times = measured(variants);
        return times.problem.empty() ? m_memory.add(key, times) : times;
    }
    std::optional<std::string> kept() const { return m_memory.text(wasQuiet(m_start, timing::processorTime())); }

private:
    /// Layers that run for long, or on a machine that is busy, get time for enough rounds while there is some left.
    LayerTimes measured(LayerVariants& variants) {
        constexpr double kMostSeconds = 2; // for one layer
        const auto start = LayerClock::now();
        LayerTimes times = variants.measured(std::min(kMostSeconds, m_secondsLeft));
        m_secondsLeft -= std::chrono::duration<double>(LayerClock::now() - start).count();
        return times;
    }
    static const at::Tensor* inputOf(const GraphModule& graph, const onednn::FusedLayer& layer, const Values& inputs) {
        std::size_t place = 0;
        for (const Node& node : graph.graph.nodes()) {
            if (node.id() == layer.layer.input)
                return place < inputs.size() && inputs[place].isTensor() ? &inputs[place].tensor() : nullptr;
            if (node.op() == Op::Placeholder) ++place;
        }
        return nullptr;
    }

    std::shared_ptr<TensorStore> m_tensors;
    onednn::LayerMemory m_memory;
    const timing::ProcessorTime m_start;
    double m_secondsLeft = 10; ///< for all layers
};

} // namespace

std::vector<LayerTimes> timeLayers(const std::shared_ptr<const GraphModule>& model,
                                   const std::shared_ptr<TensorStore>& tensors, const RunInputs& inputs,
                                   const std::string& memory, std::optional<std::string>& kept,
                                   const Progress& progress) {
    const c10::InferenceMode inference;
    Interpreter interpreter(model, tensors);
    LayerTimer timer(tensors, memory);
    PathResolver paths(*model->root);
    std::unordered_map<NodeId, std::size_t> uses; ///< by layers that have not run yet
    for (const Node& node : model->graph.nodes()) {
        const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
        if (module && onednn::kernelOf(*module))
            for (const NodeId input : node.inputs()) ++uses[input];
    }
    std::unordered_map<NodeId, Value> values;
    std::vector<LayerTimes> out;
    RunHooks hooks;
    hooks.before = [&](const Node& node) {
        progress.check();
        const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
        if (!module || !onednn::kernelOf(*module)) return;
        Values given;
        for (const Argument& argument : node.args()) given.push_back(values.at(argument.node()));
        out.push_back(timer.time(*module, given, progress));
        out.back().path = node.target();
        progress.report("timing layers", static_cast<double>(out.size()) / static_cast<double>(uses.size() + 1));
        for (const NodeId input : node.inputs())
            if (--uses[input] == 0) values.erase(input);
    };
    hooks.after = [&](const Node& node, const Value& result) {
        const auto used = uses.find(node.id());
        if (used != uses.end() && used->second > 0) values.emplace(node.id(), result);
    };
    interpreter.run(inputs, hooks);
    kept = timer.kept();
    return out;
}

} // namespace fx::engine
