// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/call_semantics.h"
#include "core/onednn/fused_layer.h"
#include "core/onednn/memory_writes.h"

#include <algorithm>
#include <unordered_set>

namespace fx::onednn {
namespace {

class Finder {
public:
    explicit Finder(const GraphModule& model)
        : m_model(model), m_paths(*model.root), m_semantics(*model.root), m_writes(model.graph, m_semantics) {}

    FusedLayers find() {
        FusedLayers out;
        for (const Node& node : m_model.graph.nodes()) {
            std::optional<Message> why;
            const auto layer = layerAt(m_model, m_paths, node, why);
            if (why) out.leftOut.push_back({node.id(), *why});
            if (layer) out.layers.push_back(grown(*layer, out.leftOut));
        }
        const auto isEarlier = [&](const FusedLayer& a, const FusedLayer& b) {
            return m_model.graph.isBefore(a.result(), b.result());
        };
        std::sort(out.layers.begin(), out.layers.end(), isEarlier);
        return out;
    }

private:
    /// The layer with all that follows it and can be fused.
    FusedLayer grown(const Layer& layer, std::vector<LeftOut>& leftOut) {
        FusedLayer out{layer, kNoNode, std::nullopt, {layer.node}};
        while (true) {
            const Node& last = m_model.graph.node(out.result());
            if (last.users().size() != 1) {
                tellShared(last, leftOut);
                return out;
            }
            const Node& next = m_model.graph.node(*last.users().begin());
            FusedLayer larger = out;
            if (m_taken.contains(next.id()) || !extended(larger, next)) return out;
            larger.nodes.push_back(next.id());
            if (const auto why = hazard(larger)) {
                leftOut.push_back({next.id(), *why});
                return out;
            }
            m_taken.insert(next.id());
            out = std::move(larger);
        }
    }

    /// What would have been fused, if its input had no other users.
    void tellShared(const Node& value, std::vector<LeftOut>& leftOut) {
        for (const NodeId user : value.users())
            if (activationAt(m_paths, m_model.graph.node(user)))
                leftOut.push_back({user, Message("passes.onednn_users", {{"node", value.name()}})});
    }

    bool extended(FusedLayer& group, const Node& next) {
        if (group.activation) return false;
        const bool isConvolution = group.layer.kind == Layer::Kind::Convolution;
        if (auto activation = activationAt(m_paths, next)) {
            if (next.inputs().size() != 1) return false;
            if (group.other != kNoNode && (!isConvolution || activation->name != "relu")) return false;
            group.activation = std::move(activation);
            return true;
        }
        if (group.other != kNoNode || group.layer.kind == Layer::Kind::Transposed) return false;
        group.other = addedTo(group.result(), next);
        return group.other != kNoNode;
    }

    /// What a node adds to a value as it is; kNoNode if it does anything else.
    NodeId addedTo(NodeId value, const Node& node) const {
        if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) return kNoNode;
        if (canonicalName(node) != "add" || node.args().size() != 2) return kNoNode;
        for (const auto& [name, given] : node.kwargs())
            if (name != "alpha" || !(given == Argument(1))) return kNoNode;
        const Argument &a = node.args()[0], &b = node.args()[1];
        if (!a.isNode() || !b.isNode() || a.node() == b.node()) return kNoNode;
        const NodeId other = a.node() == value ? b.node() : a.node();
        const bool fits = m_model.graph.node(other).op() != Op::GetAttr && mayBeAlike(value, other);
        return fits ? other : kNoNode;
    }

    /// Kernels add values of one type and size; the metadata may say that these are not.
    bool mayBeAlike(NodeId a, NodeId b) const {
        const auto &first = m_model.graph.node(a).meta().values, &second = m_model.graph.node(b).meta().values;
        if (first.empty() || second.empty()) return true;
        return first[0].dtype == second[0].dtype && first[0].sizes == second[0].sizes;
    }

    std::optional<Message> hazard(const FusedLayer& group) const {
        const NodeId first = group.layer.node, last = group.result();
        for (const NodeId written : m_semantics.written(m_model.graph.node(last)))
            if (std::find(group.nodes.begin(), group.nodes.end(), written) == group.nodes.end())
                return Message("passes.onednn_writes", {{"node", m_model.graph.node(written).name()}});
        for (const NodeId input : m_model.graph.node(first).inputs())
            if (m_writes.between(first, last, input))
                return Message("passes.onednn_written", {{"node", m_model.graph.node(input).name()}});
        if (group.other != kNoNode && m_writes.between(group.nodes[1], last, group.other))
            return Message("passes.onednn_written", {{"node", m_model.graph.node(group.other).name()}});
        return std::nullopt;
    }

    const GraphModule& m_model;
    PathResolver m_paths;
    CallSemantics m_semantics;
    MemoryWrites m_writes;
    std::unordered_set<NodeId> m_taken; ///< nodes after layers
};

} // namespace

FusedLayers findFusedLayers(const GraphModule& model) { return Finder(model).find(); }

bool isWholeGraph(const GraphModule& model, const std::vector<NodeId>& nodes, const std::vector<NodeId>& inputs) {
    const NodeId output = model.graph.outputNode();
    if (output == kNoNode) return false;
    const auto& args = model.graph.node(output).args();
    if (args.size() != 1 || !(args[0] == Argument(nodes.back()))) return false;
    std::size_t calls = 0;
    for (const Node& node : model.graph.nodes()) calls += node.isCall();
    const auto isInput = [&](NodeId id) { return model.graph.node(id).op() == Op::Placeholder; };
    return calls == nodes.size() && std::all_of(inputs.begin(), inputs.end(), isInput);
}

std::optional<FusedLayer> asFusedLayer(const GraphModule& model) {
    const FusedLayers found = findFusedLayers(model);
    if (found.layers.size() != 1) return std::nullopt;
    const FusedLayer& layer = found.layers[0];
    std::vector<NodeId> inputs{layer.layer.input};
    if (layer.other != kNoNode) inputs.push_back(layer.other);
    return isWholeGraph(model, layer.nodes, inputs) ? std::optional(layer) : std::nullopt;
}

} // namespace fx::onednn
