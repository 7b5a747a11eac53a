// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/backend_config.h"

namespace fx::quant {

/// The properties of a graph's nodes that patterns match: the class of the called module and the tensor arguments.
/// Valid while the graph and the module tree are unchanged.
class NodeHeads {
public:
    /// `model` must outlive this object. O(nodes).
    explicit NodeHeads(const GraphModule& model);

    /// The graph of the model.
    const Graph& graph() const { return m_model.graph; }
    /// Returns the module that a call_module calls; null for other nodes. The constructor throws Error{Refused} for a
    /// missing module, as PyTorch does.
    const Module* module(NodeId id) const { return m_modules[index(id)]; }
    /// The class path of `module`, or empty.
    const std::string& type(NodeId id) const { return m_types[index(id)]; }
    /// Returns `BackendConfig::headKey` of a call; empty for other nodes.
    std::string key(NodeId id) const;
    /// True if the head of `pattern` matches the node; ignores the arguments.
    bool matchesHead(const Node& node, const Pattern& pattern) const;

    /// True if no argument is a tensor. Mirrors torch.ao's `all_node_args_have_no_tensors`; computed for all nodes at
    /// once.
    bool hasNoTensors(NodeId id) const { return m_noTensors[index(id)]; }

private:
    bool withoutTensors(const Node& node) const;
    const GraphModule& m_model;
    std::vector<const Module*> m_modules;
    std::vector<std::string> m_types;
    std::vector<bool> m_noTensors;
};

/// Mirrors torch.ao's `_is_match`: true if a value matches a pattern. Each inner node must have exactly one user.
bool matches(const NodeHeads& heads, const Argument& value, const Pattern& pattern, bool isInner = false);

} // namespace fx::quant
