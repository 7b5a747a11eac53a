// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/onednn.h"

#include "core/module/call_semantics.h"
#include "core/module/module_editor.h"
#include "core/partition/submodule.h"
#include "core/passes/conv_bn_fuse.h"
#include "core/passes/fuse_patterns.h"
#include "core/passes/graph_tensors.h"
#include "core/passes/module_uses.h"
#include "core/passes/onednn_layout.h"
#include "core/passes/remove_dropout.h"
#include "core/passes/sort_users.h"
#include "core/shapes/annotate.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

namespace fx {
namespace {

using onednn::FusedLayer;
using onednn::Kernel;
using onednn::LayerTimes;

std::string number(double value, const char* format = "%.3g") {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return text;
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

/// The nodes of a fused layer as a GraphModule; attributes are called by the last part of their path.
class LayerModule {
public:
    LayerModule(const Graph& outer, PathResolver& paths, const std::vector<NodeId>& nodes, Kernel kernel)
        : m_outer(outer) {
        auto root = std::make_shared<Module>();
        AttributeTree attributes(root);
        std::set<NodeId> inside(nodes.begin(), nodes.end());
        for (const NodeId id : nodes)
            for (const NodeId input : m_outer.node(id).inputs())
                if (!inside.contains(input) && m_outer.node(input).op() != Op::GetAttr) addInput(input);
        const auto addNode = [&](NodeId id) {
            const Node& node = m_outer.node(id);
            std::string target;
            if (node.op() == Op::GetAttr || node.op() == Op::CallModule) {
                target = nameFor(node.target());
                attributes.assign(target, needTarget(paths, node));
            }
            m_map[id] = copyNode(
                m_graph, node, [&](NodeId input) { return m_map.at(input); }, node.name(), target);
        };
        for (const NodeId id : nodes) {
            for (const NodeId input : m_outer.node(id).inputs())
                if (!m_map.contains(input)) tensors.push_back(input), addNode(input);
            addNode(id);
        }
        m_graph.output(m_map.at(nodes.back()));
        root->training = false;
        root->attributes.emplace_back(onednn::kKernelAttribute, Argument(onednn::kernelWord(kernel)));
        module = asGraphModule(root, std::move(m_graph), "GraphModule");
    }

    std::shared_ptr<Module> module;
    std::vector<Argument> inputs; ///< of the outer graph
    std::vector<NodeId> tensors;  ///< get_attr nodes that were copied

private:
    void addInput(NodeId id) {
        if (m_map.contains(id)) return;
        const Node& node = m_outer.node(id);
        m_map[id] = m_graph.placeholder(node.name(), {}, node.type());
        m_graph.setMeta(m_map[id], std::make_shared<const NodeMeta>(node.meta()));
        inputs.emplace_back(id);
    }
    /// The last part of a path that is not taken by another one.
    std::string nameFor(const std::string& path) {
        std::string name = path.substr(path.rfind('.') + 1);
        if (name.find_first_not_of("0123456789") == std::string::npos) name = "_" + name;
        const std::string wanted = name;
        for (int i = 1; !m_names.emplace(name, path).second && m_names[name] != path; ++i)
            name = wanted + "_" + std::to_string(i);
        return name;
    }

    const Graph& m_outer;
    Graph m_graph;
    std::map<NodeId, NodeId> m_map;
    std::map<std::string, std::string> m_names; ///< path by name
};

/// Puts fused layers into a model; unused modules and tensors go when it is destroyed.
class LayerWriter {
public:
    explicit LayerWriter(GraphModule& model)
        : m_model(model), m_root(model.root), m_paths(*m_root), m_editor(std::in_place, model) {}
    ~LayerWriter() {
        m_editor.reset();
        removeUnusedModules(m_model, m_modules);
        eraseUnusedTensors(m_model, m_tensors);
    }
    LayerWriter(const LayerWriter&) = delete;
    LayerWriter& operator=(const LayerWriter&) = delete;

    /// Returns the path of the new module.
    std::string write(const FusedLayer& layer, Kernel kernel) {
        Graph& graph = m_model.graph;
        const LayerModule made(graph, m_paths, layer.nodes, kernel);
        const NodeId last = layer.result();
        std::string path = freePath(graph.node(layer.layer.node));
        m_editor->add(path, made.module);
        m_new.insert(path);
        graph.setInsertPoint({InsertPoint::Side::After, last});
        const NodeId call = graph.createNode(Op::CallModule, path, made.inputs);
        graph.setInsertPoint({});
        graph.setMeta(call, std::make_shared<const NodeMeta>(graph.node(last).meta()));
        graph.replaceAllUses(last, call);
        for (auto node = layer.nodes.rbegin(); node != layer.nodes.rend(); ++node) {
            if (graph.node(*node).op() == Op::CallModule) m_modules.insert(graph.node(*node).target());
            graph.erase(*node);
        }
        for (const Argument& input : made.inputs) sortUsers(graph, input.node());
        m_tensors.insert(made.tensors.begin(), made.tensors.end());
        return path;
    }

private:
    /// Beside the layer, so that it is drawn where the layer was.
    std::string freePath(const Node& layer) {
        const std::string wanted = (layer.op() == Op::CallModule ? layer.target() : layer.name()) + "_fused";
        std::string path = wanted;
        for (int i = 1; m_new.contains(path) || m_paths.resolve(path).kind != PathTarget::Kind::Missing; ++i)
            path = wanted + "_" + std::to_string(i);
        return path;
    }

    GraphModule& m_model;
    std::shared_ptr<const Module> m_root; ///< as it was; layers are always there
    PathResolver m_paths;
    std::optional<ModuleEditor> m_editor;
    std::set<std::string> m_modules, m_new;
    std::set<NodeId> m_tensors;
};

class Optimisation {
public:
    explicit Optimisation(const PassRun& run) : m_run(run), m_before(run.model) {}

    bool make() {
        bool changed = prepare();
        const onednn::FusedLayers found = onednn::findFusedLayers(m_run.model);
        for (const onednn::LeftOut& each : found.leftOut) note(each.node, each.why);
        const std::vector<FusedLayer> possible = inAnyLayout(found.layers);
        changed |= fuse(possible, timesOf(possible));
        changed |= keepLayouts(m_run);
        return changed && isWorthIt();
    }

private:
    void note(const std::string& node, const Message& what) {
        if (m_run.notes) m_run.notes->push_back({what, node, {}, {}});
    }
    void note(NodeId node, const Message& what) { note(m_run.graph().node(node).name(), what); }

    bool part(const Pass& pass, const std::string& settings) {
        const auto document = JsonDocument::parse(settings);
        return pass.run({m_run.model, PassSettings(pass.settings, document->root()), m_run.warnings, m_run.progress,
                         m_run.engine, m_run.watch});
    }

    /// What is faster in any library, and lets layers meet what follows them.
    bool prepare() {
        bool changed = part(convBnFusePass(), "{}");
        changed |= part(removeDropoutPass(), "{}");
        noteShapes(m_run.graph(), m_run.engine->shapes(m_run.model));
        changed |= part(fusePatternsPass(), R"({"operators": ["scaled_dot_product_attention", "layer_norm", "gelu",)"
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
        GraphModule all = m_run.model;
        std::vector<std::string> paths;
        {
            LayerWriter writer(all);
            for (const FusedLayer& each : layers) paths.push_back(writer.write(each, Kernel::OneDnn));
        }
        Warnings ignored;
        (void)keepLayouts({all, m_run.settings, ignored, m_run.progress, m_run.engine});
        std::map<std::string, LayerTimes> measured;
        for (LayerTimes& each : m_run.engine->layerTimes(all)) measured[each.path] = std::move(each);
        std::vector<LayerTimes> out;
        for (const std::string& path : paths) out.push_back(measured[path]);
        return out;
    }

    bool fuse(const std::vector<FusedLayer>& layers, const std::vector<LayerTimes>& times) {
        LayerWriter writer(m_run.model);
        bool changed = false;
        for (std::size_t i = 0; i < layers.size(); ++i) {
            m_run.progress.check();
            const NodeId result = layers[i].result();
            const std::string name = m_run.graph().node(layers[i].layer.node).name();
            const auto kernel = times[i].best();
            if (!kernel) {
                note(name, whyNot(times[i]));
                continue;
            }
            const Message fused("passes.onednn_fused", {{"nodes", namesOf(layers[i])},
                                                        {"kernel", onednn::kernelWord(*kernel)},
                                                        {"millis", number(*times[i].of(*kernel))},
                                                        {"plain", number(times[i].plain)}});
            if (!m_run.rewrite(result, [&] { (void)writer.write(layers[i], *kernel); })) continue;
            note(name, fused);
            changed = true;
        }
        return changed;
    }

    static Message whyNot(const LayerTimes& times) {
        if (!times.oneDnn && !times.mkl) return Message("passes.onednn_impossible", {{"detail", times.problem}});
        const bool isMkl = times.mkl && (!times.oneDnn || *times.mkl < *times.oneDnn);
        return Message("passes.onednn_kernel", {{"kernel", onednn::kernelWord(isMkl ? Kernel::Mkl : Kernel::OneDnn)},
                                                {"millis", number(isMkl ? *times.mkl : *times.oneDnn)},
                                                {"plain", number(times.plain)}});
    }

    std::string namesOf(const FusedLayer& layer) const {
        std::string names;
        for (const NodeId id : layer.nodes) names += (names.empty() ? "" : " + ") + m_run.graph().node(id).name();
        return names;
    }

    /// The whole model against what it was; undone if that is not faster.
    bool isWorthIt() {
        const onednn::WholeTimes times = m_run.engine->wholeTimes(m_before, m_run.model);
        const MessageArgument before("before", number(times.beforeMs)), after("after", number(times.afterMs));
        if (times.isSlower()) {
            m_run.model = m_before;
            note(std::string(), Message("passes.onednn_slower", {before, after}));
            return false;
        }
        note(std::string(), Message("passes.onednn_whole", {before,
                                                            after,
                                                            {"factor", number(1 / times.ratio)},
                                                            {"low", number(1 / times.high)},
                                                            {"high", number(1 / times.low)}}));
        return true;
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
            "makes a model faster on this machine: layers with what follows them become packed kernels of oneDNN or "
            "MKL, where measured faster; for models in eval mode",
            {},
            optimise,
            {},
            true};
}

} // namespace fx
