// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/node_heads.h"
#include "core/quant/prepare.h"

#include <regex>

namespace fx::quant {

/// A regular expression of a rule, compiled once.
class ModuleRegex {
public:
    /// Throws Error{Refused} for an invalid pattern.
    explicit ModuleRegex(const std::string& pattern);
    /// Mirrors Python's `re.match(pattern, text)`. Throws Error{Refused} if matching takes too much memory or time.
    bool matches(std::string_view text) const;

private:
    std::string m_pattern;
    std::regex m_regex;
};

/// Returns the rule as one text for reports: "encoder, torch.nn.modules.linear.Linear, 0".
std::string orderKey(const QConfigMapping::Order& order);

/// Computes the QConfig of each node in a traced and fused model, in torch.ao's precedence, and the rule that assigned
/// it.
class NodeQConfigs {
public:
    /// All arguments must outlive this object. Throws Error{Refused} for an invalid regular expression.
    NodeQConfigs(const NodeHeads& heads, const GraphModule& model, const QConfigMapping& mapping,
                 const std::unordered_map<std::string, Scope>& scopes);

    /// Mirrors torch.ao's `_generate_node_name_to_qconfig`. Placeholders and the output have an entry without a
    /// QConfig.
    std::unordered_map<std::string, NodeQConfig> all();

private:
    NodeQConfig ofModule(std::string_view type, std::string_view path, NodeQConfig fallback);
    NodeQConfig ofType(std::string_view type, NodeQConfig fallback) const;
    NodeQConfig ofOrder(std::string_view path, std::string_view type, std::int64_t index, NodeQConfig fallback) const;
    NodeQConfig ofNode(const Node& node);
    std::int64_t count(std::string_view path, std::string_view type);
    const NodeQConfig* regexRule(std::string_view path);

    const NodeHeads& m_heads;
    const GraphModule& m_model;
    PathResolver m_paths;
    const QConfigMapping& m_mapping;
    const std::unordered_map<std::string, Scope>& m_scopes;
    std::unordered_map<std::string, QConfigPtr> m_types, m_names;
    std::unordered_map<std::string, std::int64_t> m_counts;
    std::vector<ModuleRegex> m_regexes; ///< parallel to the first regexes of the mapping
    std::unordered_map<std::string, std::optional<NodeQConfig>> m_regexRules; ///< by module path
};

/// Mirrors torch.ao's `_update_qconfig_for_fusion`: a fused module gets the QConfig of its parts' types. Throws
/// Error{Refused} if the QConfigs differ.
void updateForFusion(const NodeHeads& heads, QConfigMapping& mapping);
/// Mirrors torch.ao's `_update_qconfig_for_qat`: a rule for a class also applies to its QAT class.
void updateForQat(const BackendConfig& backend, QConfigMapping& mapping);
/// Mirrors torch.ao's `propagate_qconfig_`: returns the QConfig of each module in the tree, by path. Children of the
/// root that are not traced have no entry, nor have their descendants. Throws Error{Refused} where torch.ao asserts
/// (per-channel weights of transposed convolutions).
std::unordered_map<std::string, QConfigPtr> propagated(const Module& root, const QConfigMapping& mapping,
                                                       const CustomConfig& custom = {});

} // namespace fx::quant
