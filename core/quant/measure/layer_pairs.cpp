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

/// "layer_norm" of torch.nn.functional.layer_norm and torch.ops.quantized.layer_norm, "add" of `x += y` and
/// torch.ops.aten.add_.Tensor.
std::string_view operationOf(const Node& node) {
    std::string_view name = node.target();
    constexpr std::string_view kOverloads = "torch.ops.";
    if (name.starts_with(kOverloads)) {
        const std::size_t space = name.find('.', kOverloads.size());
        const std::size_t overload = space == name.npos ? name.npos : name.find('.', space + 1);
        name = name.substr(0, overload);
    }
    name = name.substr(name.rfind('.') + 1);
    for (const std::string_view inPlace : {"iadd", "imul", "imatmul"})
        if (name == inPlace) return name.substr(1);
    while (name.size() > 1 && name.ends_with('_')) name.remove_suffix(1);
    return name;
}

/// Whether a call of the quantised model may be what became of a call of the original: the same module, or an operator
/// of that name, which may tell more: conv2d_relu, linear_dynamic, batch_norm2d.
bool computesSame(const Node& quantised, const Node& original) {
    if (quantised.op() == Op::CallModule || original.op() == Op::CallModule)
        return quantised.op() == original.op() && quantised.target() == original.target();
    const std::string_view made = operationOf(quantised), of = operationOf(original);
    if (!made.starts_with(of)) return false;
    const std::string_view rest = made.substr(of.size());
    return rest.empty() || rest.starts_with('_') || (rest.size() > 1 && rest[1] == 'd');
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
    NodeId partnerOf(const Node& node) {
        if (isStorageChange(node)) return node.inputs().empty() ? kNoNode : partner(node.inputs().front());
        if (node.op() == Op::Placeholder) return m_original.find(node.name());
        if (!givesValue(node)) return kNoNode;
        const NodeId first = counterpart(node);
        return first == kNoNode ? kNoNode : lastFused(node, first);
    }

    /// What computes the same as the first that a layer does. An operator in the place of another has a new name, which
    /// may be that of something else in the original.
    NodeId counterpart(const Node& node) {
        const NodeId named = namesake(node);
        NodeId found = isUnchanged(node) ? named : kNoNode;
        if (found == kNoNode) found = userOfInputs(node, true);
        if (found == kNoNode) found = named;
        if (found == kNoNode) found = userOfInputs(node, false);
        if (found != kNoNode) m_claimed.insert(found);
        return found;
    }

    /// The call of the same name, if it may be the same.
    NodeId namesake(const Node& node) const {
        const NodeId named = m_original.find(node.name());
        return named != kNoNode && givesValue(m_original.node(named)) && computesSame(node, m_original.node(named))
                   ? named
                   : kNoNode;
    }
    /// Whether the original has the very call, by name and target.
    bool isUnchanged(const Node& node) const {
        const NodeId named = namesake(node);
        return named != kNoNode && m_original.node(named).target() == node.target();
    }

    NodeId partner(NodeId id) const {
        const auto found = m_partner.find(id);
        return found == m_partner.end() ? kNoNode : found->second;
    }

    /// The node of the original that uses the partners of all inputs: one that computes the same, or any that has no
    /// counterpart by name.
    NodeId userOfInputs(const Node& node, bool same) const {
        std::vector<NodeId> inputs;
        for (const NodeId input : node.inputs())
            if (const NodeId known = partner(input); known != kNoNode) inputs.push_back(known);
        if (inputs.empty()) return kNoNode;
        for (const NodeId id : m_original.node(inputs.front()).users()) {
            const Node& user = m_original.node(id);
            const auto& of = user.inputs();
            const bool usesAll = std::all_of(inputs.begin(), inputs.end(), [&](NodeId input) {
                return std::find(of.begin(), of.end(), input) != of.end();
            });
            if (!usesAll || !givesValue(user) || m_claimed.contains(id)) continue;
            if (same ? computesSame(node, user) : !m_names.contains(user.name())) return id;
        }
        return kNoNode;
    }

    /// Whether a node has other inputs than `input` that depend on the model's inputs: weights and statistics do not.
    bool takesOthers(const Node& node, NodeId input) const {
        return std::any_of(node.inputs().begin(), node.inputs().end(),
                           [&](NodeId each) { return each != input && m_original.node(each).op() != Op::GetAttr; });
    }

    /// Whether a call that takes the result of `layer` in the quantised model is what became of `original`.
    bool isComputedAfter(const Node& layer, const Node& original) const {
        std::vector<NodeId> open(layer.users().begin(), layer.users().end());
        while (!open.empty()) {
            const Node& user = m_quantised.node(open.back());
            open.pop_back();
            if (isStorageChange(user)) open.insert(open.end(), user.users().begin(), user.users().end());
            else if (computesSame(user, original) && (!isUnchanged(user) || user.name() == original.name()))
                return true;
        }
        return false;
    }

    /// Follows single users that the quantised model does not have.
    NodeId lastFused(const Node& layer, NodeId id) const {
        while (true) {
            const auto& users = m_original.node(id).users();
            if (users.size() != 1) return id;
            const Node& user = m_original.node(*users.begin());
            if (!givesValue(user) || takesOthers(user, id) || m_names.contains(user.name())) return id;
            if (isComputedAfter(layer, user)) return id;
            id = user.id();
        }
    }

    const Graph &m_original, &m_quantised;
    std::unordered_set<std::string> m_names;
    std::unordered_set<NodeId> m_claimed; ///< of the original
    std::unordered_map<NodeId, NodeId> m_partner;
};

} // namespace

std::vector<LayerPair> layerPairs(const GraphModule& original, const GraphModule& quantised) {
    return Pairing(original, quantised).run();
}

} // namespace fx::quant
