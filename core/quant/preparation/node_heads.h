// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/backend_config.h"

namespace fx::quant {

/// What patterns see of the nodes of a graph: the class of the module that each calls, and its tensors. Valid as long
/// as the graph and the module tree stay as they are.
class NodeHeads {
public:
    explicit NodeHeads(const GraphModule& model);

    const Graph& graph() const { return m_model.graph; }
    /// The module that a call_module calls; null for other nodes. Throws Error{Refused} for a missing one, as PyTorch.
    const Module* module(NodeId id) const { return m_modules[index(id)]; }
    /// Its class path, or empty.
    const std::string& type(NodeId id) const { return m_types[index(id)]; }
    /// `BackendConfig::headKey` of a call; empty for other nodes.
    std::string key(NodeId id) const;
    bool matchesHead(const Node& node, const Pattern& pattern) const;

    /// torch.ao `all_node_args_have_no_tensors`, for all nodes at once.
    bool hasNoTensors(NodeId id) const { return m_noTensors[index(id)]; }

private:
    bool withoutTensors(const Node& node) const;
    const GraphModule& m_model;
    std::vector<const Module*> m_modules;
    std::vector<std::string> m_types;
    std::vector<bool> m_noTensors;
};

/// torch.ao `_is_match`: whether a value matches a pattern whose inner nodes have one user each.
bool matches(const NodeHeads& heads, const Argument& value, const Pattern& pattern, bool isInner = false);

} // namespace fx::quant
