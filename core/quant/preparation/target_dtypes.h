// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/custom_config.h"
#include "core/quant/preparation/node_qconfigs.h"
#include "core/quant/preparation/pattern_matches.h"

#include <unordered_map>

namespace fx::quant {

/// What torch.ao keeps as a node's `target_dtype_info`: the observers that its inputs and its output want; null is
/// None. What torch.ao leaves out has torch.ao's default, a placeholder for float32.
struct TargetInfo {
    ObserverPtr input, output, weight, bias;
    std::optional<std::int64_t> weightIndex, biasIndex;
    bool reusesInput = false, sharesInput = false;
};

/// The traits of constructors, worked out once each.
class KnownTraits {
public:
    /// Of None: dtype "" and not dynamic.
    const ObserverTraits& of(const ObserverPtr& spec);

private:
    std::unordered_map<const ObserverSpec*, std::pair<ObserverPtr, ObserverTraits>> m_known;
    ObserverTraits m_none;
};

/// The dtypes that the nodes of a matched graph shall have in the quantised one, before any observer is inserted: the
/// steps 1 to 3 of torch.ao's `insert_observers_for_model`.
class TargetDTypes {
public:
    TargetDTypes(const NodeHeads& heads, const BackendConfig& backend, const PatternMatches& matches,
                 const std::unordered_map<std::string, NodeQConfig>& qconfigs, const CustomConfig& custom = {});

    const TargetInfo& of(NodeId id) const { return m_infos[index(id)]; }
    bool knows(NodeId id) const { return index(id) < m_infos.size(); }
    KnownTraits& traits() { return m_traits; }
    /// torch.ao `_is_pattern_dtype_config_and_qconfig_supported_by_backend`.
    bool isSupported(const PatternMatch& match, const QConfigPtr& qconfig);
    static bool isWeight(const Node& node, NodeId arg, const TargetInfo& info);
    static bool isBias(const Node& node, NodeId arg, const TargetInfo& info);
    static const ObserverPtr& floatPlaceholder();

private:
    TargetInfo infoFor(const Node& node, const QConfig& qconfig, bool sharesInput);
    void setAll();
    void setGiven(const CustomConfig& custom);
    void propagateKnown();
    void propagate(NodeId id);
    void resetUnsupported();
    const QConfigPtr& qconfigOf(NodeId id) const;
    bool supportsInput(const Argument& arg, const Node& node, const QConfigPtr& qconfig, const DTypeConfig& config);
    bool supportsOutput(const Node& node, const QConfigPtr& qconfig, const DTypeConfig& config);
    bool satisfies(const QConfigPtr& qconfig, const DTypeConstraint& constraint, bool isActivation);

    const NodeHeads& m_heads;
    const BackendConfig& m_backend;
    const PatternMatches& m_matches;
    const std::unordered_map<std::string, NodeQConfig>& m_qconfigs;
    std::vector<TargetInfo> m_infos;
    KnownTraits m_traits;
};

} // namespace fx::quant
