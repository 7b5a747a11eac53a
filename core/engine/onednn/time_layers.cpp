// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/onednn/time_layers.h"

#include "core/base/python_text.h"
#include "core/base/sha256.h"
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/onednn/packed_layer.h"
#include "core/engine/timing/ceiling.h"
#include "core/json/json_document.h"
#include "core/json/json_writer.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unistd.h>
#include <unordered_map>

namespace fx::engine {
namespace {

using onednn::LayerTimes;
using LayerClock = std::chrono::steady_clock;

std::string listed(at::IntArrayRef numbers) {
    std::string out;
    for (const std::int64_t each : numbers) out += (out.empty() ? "" : "x") + std::to_string(each);
    return out;
}

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

/// The times of layers by key, in a file. The shortest of several measurements counts, since a busy machine only makes
/// times longer; after kEnough of them a layer is not measured any more.
class Memory {
public:
    static constexpr std::int64_t kEnough = 3;

    explicit Memory(const std::string& folder) {
        if (folder.empty()) return;
        const timing::Environment machine = environment();
        const std::string what = machine.processor + "\n" + std::to_string(machine.threads) + "\n" + machine.library;
        m_path = folder + "/layers-" + sha256(what).substr(0, 16) + ".json";
        std::ifstream in(m_path);
        std::stringstream text;
        text << in.rdbuf();
        try {
            const auto document = JsonDocument::parse(text.str());
            for (const JsonValue each : document->root().needObject())
                m_entries[std::string(each.key())] = {read(each), each.at("measured").asInt()};
        } catch (const fx::Error&) { // none, or one that was cut short: measured anew
        }
    }

    /// What is known well enough, or was measured in this run.
    const LayerTimes* find(const std::string& key) const {
        const auto found = m_entries.find(key);
        const bool known = found != m_entries.end() && (found->second.measured >= kEnough || m_new.contains(key));
        return known ? &found->second.times : nullptr;
    }
    const LayerTimes& add(const std::string& key, const LayerTimes& times) {
        auto [place, isNew] = m_entries.try_emplace(key, Entry{times, 0});
        LayerTimes& known = place->second.times;
        known.plain = std::min(known.plain, times.plain);
        if (known.oneDnn && times.oneDnn) known.oneDnn = std::min(*known.oneDnn, *times.oneDnn);
        if (known.mkl && times.mkl) known.mkl = std::min(*known.mkl, *times.mkl);
        known.remembered = !isNew;
        ++place->second.measured;
        m_new.insert(key);
        return known;
    }

    void save() const {
        if (m_path.empty() || m_new.empty()) return;
        JsonWriter json;
        json.beginObject(JsonWriter::Layout::Lines);
        for (const auto& [key, entry] : m_entries) {
            const LayerTimes& times = entry.times;
            json.key(key).beginObject();
            write(json, "plain", times.plain), write(json, "onednn", times.oneDnn), write(json, "mkl", times.mkl);
            json.key("measured").integer(entry.measured).endObject();
        }
        std::error_code failed;
        std::filesystem::create_directories(std::filesystem::path(m_path).parent_path(), failed);
        const std::string beside = m_path + "." + std::to_string(::getpid());
        std::ofstream(beside) << json.endObject().text() << '\n';
        std::filesystem::rename(beside, m_path, failed); // what cannot be written is measured again
    }

private:
    static void write(JsonWriter& json, const char* key, const std::optional<double>& millis) {
        if (!millis) return;
        std::string text;
        appendPythonFloat(text, *millis);
        json.key(key).raw(text);
    }
    static LayerTimes read(JsonValue value) {
        LayerTimes out;
        out.plain = value.at("plain").asDouble(), out.remembered = true;
        if (const JsonValue given = value.find("onednn"); given.exists()) out.oneDnn = given.asDouble();
        if (const JsonValue given = value.find("mkl"); given.exists()) out.mkl = given.asDouble();
        return out;
    }

    struct Entry {
        LayerTimes times;
        std::int64_t measured = 0; ///< how often
    };
    std::string m_path;
    std::map<std::string, Entry> m_entries;
    std::set<std::string> m_new; ///< measured in this run
};

/// Runs all variants in turn and gives the shortest time of each in milliseconds, since interruptions only add time:
/// ten milliseconds' worth, 3 to 15 times.
std::vector<double> shortestTimes(const std::vector<std::function<void()>>& variants) {
    std::vector<double> times(variants.size(), 1e9);
    const auto start = LayerClock::now();
    for (std::size_t round = 0; round < 15; ++round) {
        if (round >= 3 && LayerClock::now() - start > std::chrono::milliseconds(10)) break;
        for (std::size_t i = 0; i < variants.size(); ++i) {
            const auto before = LayerClock::now();
            variants[i]();
            const std::chrono::duration<double, std::milli> took = LayerClock::now() - before;
            times[i] = std::min(times[i], took.count());
        }
    }
    return times;
}

class LayerTimer {
public:
    LayerTimer(std::shared_ptr<TensorStore> tensors, const std::string& folder)
        : m_tensors(std::move(tensors)), m_memory(folder) {}

    LayerTimes time(const Module& module, const Values& inputs) {
        const auto layer = onednn::asFusedLayer(*module.graphModule);
        const at::Tensor* x = layer ? inputOf(*module.graphModule, *layer, inputs) : nullptr;
        if (!x) return {};
        const std::string key = keyOf(*layer, *x);
        if (const LayerTimes* known = m_memory.find(key)) return *known;
        const LayerTimes times = measured(module, *layer, inputs);
        return times.problem.empty() ? m_memory.add(key, times) : times;
    }
    void save() const { m_memory.save(); }

private:
    static const at::Tensor* inputOf(const GraphModule& graph, const onednn::FusedLayer& layer, const Values& inputs) {
        std::size_t place = 0;
        for (const Node& node : graph.graph.nodes()) {
            if (node.id() == layer.layer.input)
                return place < inputs.size() && inputs[place].isTensor() ? &inputs[place].tensor() : nullptr;
            if (node.op() == Op::Placeholder) ++place;
        }
        return nullptr;
    }

    LayerTimes measured(const Module& module, const onednn::FusedLayer& layer, const Values& inputs) {
        Values contiguous = inputs;
        for (Value& each : contiguous)
            if (each.isTensor()) each = each.tensor().contiguous();
        Interpreter plain(module.graphModule, m_tensors);
        PackedLayer oneDnn(*module.graphModule, layer, onednn::Kernel::OneDnn, m_tensors),
            mkl(*module.graphModule, layer, onednn::Kernel::Mkl, m_tensors);
        const Values last = channelsLast(oneDnn, inputs);
        plain.run({contiguous, {}}); // learns its kernels
        const bool hasOneDnn = oneDnn.run(last, false).has_value();
        const bool hasMkl = layer.layer.kind == onednn::Layer::Kind::Linear && mkl.run(inputs, false).has_value();
        std::vector<std::function<void()>> variants{[&] { plain.run({contiguous, {}}); }};
        if (hasOneDnn) variants.emplace_back([&] { (void)oneDnn.run(last, false); });
        if (hasMkl) variants.emplace_back([&] { (void)mkl.run(inputs, false); });
        const std::vector<double> times = shortestTimes(variants);
        LayerTimes out;
        out.plain = times[0], out.problem = oneDnn.problem();
        if (hasOneDnn) out.oneDnn = times[1];
        if (hasMkl) out.mkl = times.back();
        return out;
    }
    /// Convolutions follow convolutions, so that their inputs are channels_last, but for the first.
    static Values channelsLast(PackedLayer& layer, const Values& inputs) {
        Values out = inputs;
        const auto result = layer.run(inputs, false);
        if (!result || layer.other() < 0) return out;
        Value& other = out[static_cast<std::size_t>(layer.other())];
        other = other.tensor().contiguous(result->tensor().suggest_memory_format());
        return out;
    }

    std::shared_ptr<TensorStore> m_tensors;
    Memory m_memory;
};

} // namespace

std::vector<LayerTimes> timeLayers(const std::shared_ptr<const GraphModule>& model,
                                   const std::shared_ptr<TensorStore>& tensors, const RunInputs& inputs,
                                   const std::string& folder, const Progress& progress) {
    const c10::InferenceMode inference;
    Interpreter interpreter(model, tensors);
    LayerTimer timer(tensors, folder);
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
        out.push_back(timer.time(*module, given));
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
    timer.save();
    return out;
}

} // namespace fx::engine
