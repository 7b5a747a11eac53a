// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/target_dtypes.h"

namespace fx::quant {

/// Inserts observers into a matched graph, node by node, as torch.ao's `insert_observers_for_model`:
///
///     x ─▶ conv ─▶ y        x ─▶ activation_post_process_0 ─▶ conv ─▶ activation_post_process_1 ─▶ y
///
/// Operators that only move values (reshape, max_pool2d, cat, ...) share the observer of their input.
class ObserverInsertion {
public:
    /// All arguments must outlive this object.
    ObserverInsertion(GraphModule& model, TargetDTypes& targets, const PatternMatches& matches, PreparedModel& result);

    /// Changes the graph and the module tree; fills the placements, the observed nodes and the unquantised nodes of
    /// the result.
    void run();

private:
    /// One observer module under one or more names.
    struct Instance {
        ObserverPtr spec;
        std::string name; ///< the first one
        std::shared_ptr<Module> module;
    };
    Graph& graph() { return m_model.graph; }
    const Node& node(NodeId id) { return m_model.graph.node(id); }
    bool isObserverNode(NodeId id) const { return index(id) < m_instanceOf.size() && m_instanceOf[index(id)] >= 0; }
    const ObserverTraits& outputTraits(NodeId arg);
    NodeId insert(NodeId after, const ObserverPtr& spec, NodeId cause, Placement::Role role);
    Argument observedInput(NodeId id, const Argument& arg);
    Argument observedNode(NodeId id, NodeId arg);
    NodeId observedAs(NodeId arg, const ObserverPtr& wanted, NodeId cause, Placement::Role role);
    Argument standaloneInput(NodeId id, const Argument& arg);
    void observeInputs(NodeId id);
    void observeOutput(NodeId id, const PatternMatch& match);
    bool reusesInputOnly(NodeId id);
    void observeGraphOutput(NodeId id);
    Argument observedResult(const Argument& value, NodeId output);
    bool shareInputs(NodeId id);
    std::optional<NodeId> observerBefore(const Argument& first);
    void removeOutputObserver(NodeId id);
    void visit(NodeId id);
    void finish();

    GraphModule& m_model;
    TargetDTypes& m_targets;
    const PatternMatches& m_matches;
    PreparedModel& m_result;
    std::vector<Instance> m_instances;
    std::vector<std::int64_t> m_instanceOf; ///< by NodeId of the observer's call; -1 for other nodes
    std::unordered_map<std::string, std::size_t> m_placementOf; ///< by the observer's name
    std::unordered_set<std::string> m_taken;                    ///< attribute names of the root
    std::size_t m_number = 0;
};

} // namespace fx::quant
