// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// The layers with weights that a prepared model quantises, by the names of their nodes, in graph order: what a scan of
/// sensitivities goes through.
std::vector<std::string> quantisedLayers(const PreparedModel& prepared);

/// What a prepared model quantises besides: the operators between the layers, by the names of their nodes, in graph
/// order. Those are missing whose rule would reach a layer, too.
std::vector<std::string> quantisedOperators(const PreparedModel& prepared);

/// A rule of a QConfigMapping that reaches one node, or as few others as torch.ao has words for: a module by its path,
/// a function by its place among the calls in its module, a method by its name.
struct NodeRule {
    RuleKind kind = RuleKind::ModuleName;
    std::string module, objectType; ///< ModuleName, Regex: module; Order: both; ObjectType: objectType
    std::int64_t index = 0;         ///< Order only

    void set(QConfigMapping& mapping, const QConfigPtr& qconfig) const;
    /// The key of the rule as `NodeQConfig::key` has it.
    std::string key() const;
    bool operator==(const NodeRule&) const = default;
};
/// The rules of all calls, by the names of their nodes. O(nodes).
std::unordered_map<std::string, NodeRule> nodeRules(const PreparedModel& prepared);

/// A mapping that quantises these layers as the prepared model does, and nothing else. `layers`: names of nodes.
QConfigMapping onlyLayers(const PreparedModel& prepared, const std::vector<std::string>& layers);
/// The mapping of the prepared model, with these layers or operators left in floating point. `layers`: names of nodes.
QConfigMapping withoutLayers(const PreparedModel& prepared, const std::vector<std::string>& layers);

} // namespace fx::quant
