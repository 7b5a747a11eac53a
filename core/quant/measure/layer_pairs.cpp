// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/layer_pairs.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {
namespace {

/// Whether a node only changes how numbers are stored; it stands for its first input.
bool isStorageChange(const Node& node) {
    const std::string& target = node.target();
    if (node.op() == Op::CallMethod) return target == "dequantize" || target == "to";
    if (node.op() != Op::CallFunction) return false;
    for (const std::string_view part : {"quantize_per_tensor", "quantize_per_channel", "torch.dequantize"})
        if (target.find(part) != target.npos) return true;
    return false;
}

bool givesValue(const Node& node) {
    return node.op() == Op::CallModule || node.op() == Op::CallFunction || node.op() == Op::CallMethod;
}

class Pairing {
public:
    Pairing(const GraphModule& original, const GraphModule& quantised)
        : m_original(original.graph), m_quantised(quantised.graph) {
        for (const Node& node : m_quantised.nodes()) m_names.insert(node.name());
    }

    std::vector<LayerPair> run() {
        std::vector<LayerPair> out;
        for (const Node& node : m_quantised.nodes()) {
            const NodeId partner = partnerOf(node);
            if (partner == kNoNode) continue;
            m_partner[node.id()] = partner;
            if (!givesValue(node) || isStorageChange(node)) continue;
            out.push_back({node.id(), partner, node.op() == Op::CallModule ? node.target() : node.name()});
        }
        return out;
    }

private:
    NodeId partnerOf(const Node& node) const {
        if (isStorageChange(node)) return node.inputs().empty() ? kNoNode : partner(node.inputs().front());
        const NodeId named = m_original.find(node.name());
        if (node.op() == Op::Placeholder) return named;
        if (!givesValue(node)) return kNoNode;
        if (named != kNoNode && givesValue(m_original.node(named))) return lastFused(named);
        const NodeId used = userOfInputs(node);
        return used == kNoNode ? kNoNode : lastFused(used);
    }

    NodeId partner(NodeId id) const {
        const auto found = m_partner.find(id);
        return found == m_partner.end() ? kNoNode : found->second;
    }

    /// The node of the original that uses the partners of all inputs and has no counterpart by name.
    NodeId userOfInputs(const Node& node) const {
        std::vector<NodeId> inputs;
        for (const NodeId input : node.inputs())
            if (const NodeId known = partner(input); known != kNoNode) inputs.push_back(known);
        if (inputs.empty()) return kNoNode;
        for (const NodeId user : m_original.node(inputs.front()).users()) {
            const auto& of = m_original.node(user).inputs();
            const bool usesAll = std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
                return std::find(of.begin(), of.end(), input) != of.end();
            });
            if (usesAll && givesValue(m_original.node(user)) && !m_names.contains(m_original.node(user).name()))
                return user;
        }
        return kNoNode;
    }

    /// Whether a node has other inputs than `input` that depend on the model's inputs: weights and statistics do not.
    bool takesOthers(const Node& node, NodeId input) const {
        return std::any_of(node.inputs().begin(), node.inputs().end(),
                           [&](NodeId each) { return each != input && m_original.node(each).op() != Op::GetAttr; });
    }

    /// Follows single users that the quantised model does not have.
    NodeId lastFused(NodeId id) const {
        while (true) {
            const auto& users = m_original.node(id).users();
            if (users.size() != 1) return id;
            const Node& user = m_original.node(*users.begin());
            if (!givesValue(user) || takesOthers(user, id) || m_names.contains(user.name())) return id;
            id = user.id();
        }
    }

    const Graph &m_original, &m_quantised;
    std::unordered_set<std::string> m_names;
    std::unordered_map<NodeId, NodeId> m_partner;
};

} // namespace

std::vector<LayerPair> layerPairs(const GraphModule& original, const GraphModule& quantised) {
    return Pairing(original, quantised).run();
}

} // namespace fx::quant
