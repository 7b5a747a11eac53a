// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/node_heads.h"
#include "core/quant/prepare.h"

#include <regex>

namespace fx::quant {

/// A regular expression of a rule, compiled once.
class ModuleRegex {
public:
    /// Throws Error{Refused} for a pattern that cannot be used.
    explicit ModuleRegex(const std::string& pattern);
    /// Python's `re.match(pattern, text)`. Throws Error{Refused} where matching takes too much memory or time.
    bool matches(std::string_view text) const;

private:
    std::string m_pattern;
    std::regex m_regex;
};

/// The rule as one text, for reports: "encoder, torch.nn.modules.linear.Linear, 0".
std::string orderKey(const QConfigMapping::Order& order);

/// Which QConfig each node of a traced and fused model gets, in torch.ao's precedence, and by which rule.
class NodeQConfigs {
public:
    /// Throws Error{Refused} for a regular expression that cannot be used.
    NodeQConfigs(const NodeHeads& heads, const GraphModule& model, const QConfigMapping& mapping,
                 const std::unordered_map<std::string, Scope>& scopes);

    /// torch.ao `_generate_node_name_to_qconfig`. Placeholders and the output have an entry without a QConfig.
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
    std::vector<ModuleRegex> m_regexes;                                       ///< the first of the mapping
    std::unordered_map<std::string, std::optional<NodeQConfig>> m_regexRules; ///< by module path
};

/// torch.ao `_update_qconfig_for_fusion`: a fused module gets the QConfig of its parts' types. Throws Error{Refused} if
/// they differ.
void updateForFusion(const NodeHeads& heads, QConfigMapping& mapping);
/// torch.ao `_update_qconfig_for_qat`: a rule for a class is one for its QAT class too.
void updateForQat(const BackendConfig& backend, QConfigMapping& mapping);
/// torch.ao `propagate_qconfig_`: the QConfig of every module of the tree, by path. Children of the root that are not
/// traced have none, nor what is in them. Throws Error{Refused} where torch.ao asserts (per-channel weights of
/// transposed convolutions).
std::unordered_map<std::string, QConfigPtr> propagated(const Module& root, const QConfigMapping& mapping,
                                                       const CustomConfig& custom = {});

} // namespace fx::quant
