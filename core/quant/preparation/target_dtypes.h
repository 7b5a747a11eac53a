// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/custom_config.h"
#include "core/quant/preparation/node_qconfigs.h"
#include "core/quant/preparation/pattern_matches.h"

#include <unordered_map>

namespace fx::quant {

/// A node's `target_dtype_info` in torch.ao: the observers of its inputs and its output; null is None. Entries missing
/// in torch.ao have its default, a placeholder for float32.
struct TargetInfo {
    ObserverPtr input, output, weight, bias;
    std::optional<std::int64_t> weightIndex, biasIndex; ///< indices of the weight and bias arguments of a function
    /// Mirror torch.ao's `reuse_input_obs_or_fq` and `input_output_share_observers`.
    bool reusesInput = false, sharesInput = false;
};

/// Caches the traits of each constructor.
class KnownTraits {
public:
    /// Returns the traits of `spec`; None has dtype "" and is not dynamic.
    const ObserverTraits& of(const ObserverPtr& spec);

private:
    std::unordered_map<const ObserverSpec*, std::pair<ObserverPtr, ObserverTraits>> m_known;
    ObserverTraits m_none;
};

/// Computes the dtypes of all nodes in the quantised graph before any observer is inserted: steps 1 to 3 of torch.ao's
/// `insert_observers_for_model`.
class TargetDTypes {
public:
    /// `heads`, `backend`, `matches` and `qconfigs` must outlive this object.
    TargetDTypes(const NodeHeads& heads, const BackendConfig& backend, const PatternMatches& matches,
                 const std::unordered_map<std::string, NodeQConfig>& qconfigs, const CustomConfig& custom = {});

    /// The target dtypes of a node of the original graph.
    const TargetInfo& of(NodeId id) const { return m_infos[index(id)]; }
    /// False for nodes created after the constructor.
    bool knows(NodeId id) const { return index(id) < m_infos.size(); }
    /// The shared cache of traits.
    KnownTraits& traits() { return m_traits; }
    /// Mirrors torch.ao's `_is_pattern_dtype_config_and_qconfig_supported_by_backend`.
    bool isSupported(const PatternMatch& match, const QConfigPtr& qconfig);
    /// True if `arg` is the weight argument of `node`.
    static bool isWeight(const Node& node, NodeId arg, const TargetInfo& info);
    /// True if `arg` is the bias argument of `node`.
    static bool isBias(const Node& node, NodeId arg, const TargetInfo& info);
    /// The default observer of torch.ao: a placeholder for float32.
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
