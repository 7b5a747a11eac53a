// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// Returns the node names of the layers with weights that a prepared model quantises, in graph order: the layers of a
/// sensitivity scan.
std::vector<std::string> quantisedLayers(const PreparedModel& prepared);

/// Returns the node names of the other quantised operators, in graph order. Leaves out operators whose rule would also
/// apply to a layer.
std::vector<std::string> quantisedOperators(const PreparedModel& prepared);

/// A rule of a QConfigMapping for one node, or for as few nodes as torch.ao can express: modules by path, functions by
/// index among the calls in their module, methods by name.
struct NodeRule {
    RuleKind kind = RuleKind::ModuleName;
    std::string module, objectType; ///< ModuleName, Regex: module; Order: both; ObjectType: objectType
    std::int64_t index = 0;         ///< Order only

    /// Adds the rule to a mapping.
    void set(QConfigMapping& mapping, const QConfigPtr& qconfig) const;
    /// The rule's key in the form of `NodeQConfig::key`.
    std::string key() const;
    bool operator==(const NodeRule&) const = default;
};
/// Returns the rules of all calls, by node name. O(nodes).
std::unordered_map<std::string, NodeRule> nodeRules(const PreparedModel& prepared);

/// Returns a mapping that quantises only these layers, with their QConfigs in the prepared model. `layers` are node
/// names.
QConfigMapping onlyLayers(const PreparedModel& prepared, const std::vector<std::string>& layers);
/// Returns the mapping of the prepared model with these layers or operators left in floating point. `layers` are node
/// names.
QConfigMapping withoutLayers(const PreparedModel& prepared, const std::vector<std::string>& layers);

} // namespace fx::quant
