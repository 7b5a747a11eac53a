// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/layer_writer.h"

#include "core/partition/submodule.h"
#include "core/passes/graph_tensors.h"
#include "core/passes/module_uses.h"
#include "core/passes/sort_users.h"
#include "core/trace/callables.h"

#include <map>

namespace fx {
namespace {

using onednn::FusedLayer;
using onednn::Kernel;
using onednn::Layer;

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

Argument listOf(const std::vector<std::int64_t>& numbers) {
    return Argument::list(std::vector<Argument>(numbers.begin(), numbers.end()));
}

/// `attr, scalars, algorithm` of PyTorch's operators.
void addActivation(std::vector<Argument>& args, const FusedLayer& layer) {
    const auto& activation = layer.activation;
    args.emplace_back(activation ? activation->attribute : std::string("none"));
    args.push_back(activation
                       ? Argument::list(std::vector<Argument>(activation->numbers.begin(), activation->numbers.end()))
                       : Argument::list({}));
    args.emplace_back(activation ? activation->algorithm : std::string());
}

} // namespace

LayerWriter::LayerWriter(GraphModule& model)
    : m_model(model), m_root(model.root), m_paths(*m_root), m_editor(std::in_place, model) {}

LayerWriter::~LayerWriter() {
    m_editor.reset();
    removeUnusedModules(m_model, m_modules);
    eraseUnusedTensors(m_model, m_tensors);
}

std::string LayerWriter::write(const std::vector<NodeId>& nodes, NodeId layer, Kernel kernel) {
    Graph& graph = m_model.graph;
    const LayerModule made(graph, m_paths, nodes, kernel);
    std::string path = freePath(graph.node(layer));
    m_editor->add(path, made.module);
    m_new.insert(path);
    graph.setInsertPoint({InsertPoint::Side::After, nodes.back()});
    const NodeId call = graph.createNode(Op::CallModule, path, made.inputs);
    graph.setInsertPoint({});
    replace(nodes, call);
    m_tensors.insert(made.tensors.begin(), made.tensors.end());
    return path;
}

void LayerWriter::writeOperator(const FusedLayer& fused) {
    Graph& graph = m_model.graph;
    const Layer& layer = fused.layer;
    const NodeId last = fused.result();
    // Other layers may have replaced the inputs since they were found.
    const Node& node = graph.node(layer.node);
    NodeId input = node.args().empty() ? kNoNode : node.args()[0].node();
    if (const Argument* named = node.kwarg("input")) input = named->node();
    NodeId other = kNoNode;
    if (fused.other != kNoNode)
        for (const NodeId each : graph.node(fused.nodes[1]).inputs())
            if (each != layer.node) other = each;
    std::vector<Argument> args{input};
    if (other != kNoNode) args.emplace_back(other);
    args.emplace_back(tensorNode(layer.weightPath, last));
    args.push_back(layer.bias ? Argument(tensorNode(layer.biasPath, last)) : Argument());
    const bool isLinear = layer.kind == Layer::Kind::Linear, isTransposed = layer.kind == Layer::Kind::Transposed;
    if (!isLinear) {
        args.push_back(listOf(layer.padding));
        if (isTransposed) args.push_back(listOf(layer.outputPadding));
        args.push_back(listOf(layer.stride)), args.push_back(listOf(layer.dilation)), args.emplace_back(layer.groups);
    }
    if (other == kNoNode) addActivation(args, fused);
    else args.emplace_back("add");
    if (other != kNoNode && !isLinear)
        args.insert(args.end(), {Argument(), fused.activation ? Argument("relu") : Argument(), Argument::list({}),
                                 Argument()}); // alpha, activation, its numbers, algorithm
    const std::string name = isLinear       ? "_linear_pointwise"
                             : isTransposed ? "_convolution_transpose_pointwise"
                                            : "_convolution_pointwise";
    graph.setInsertPoint({InsertPoint::Side::After, last});
    const NodeId call = graph.callFunction(
        resolveCallable("torch.ops.mkldnn." + name + (other == kNoNode ? ".default" : ".binary")), std::move(args));
    graph.setInsertPoint({});
    for (const NodeId id : fused.nodes)
        for (const NodeId each : graph.node(id).inputs())
            if (graph.node(each).op() == Op::GetAttr) m_tensors.insert(each);
    replace(fused.nodes, call);
}

NodeId LayerWriter::tensorNode(const std::string& path, NodeId before) {
    m_model.graph.setInsertPoint({InsertPoint::Side::Before, before});
    return m_model.graph.createNode(Op::GetAttr, path);
}

void LayerWriter::replace(const std::vector<NodeId>& nodes, NodeId call) {
    Graph& graph = m_model.graph;
    const NodeId last = nodes.back();
    graph.setMeta(call, std::make_shared<const NodeMeta>(graph.node(last).meta()));
    graph.replaceAllUses(last, call);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        if (graph.node(*node).op() == Op::CallModule) m_modules.insert(graph.node(*node).target());
        graph.erase(*node);
    }
    for (const NodeId input : graph.node(call).inputs()) sortUsers(graph, input);
}

/// Beside the layer, so that it is drawn where the layer was.
std::string LayerWriter::freePath(const Node& layer) {
    const std::string wanted = (layer.op() == Op::CallModule ? layer.target() : layer.name()) + "_fused";
    std::string path = wanted;
    for (int i = 1; m_new.contains(path) || m_paths.resolve(path).kind != PathTarget::Kind::Missing; ++i)
        path = wanted + "_" + std::to_string(i);
    return path;
}

} // namespace fx
