// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/operator_support.h"
#include "core/partition/support_rules.h"

namespace fx {

/// Applies rules to one model. The constructor evaluates each node once, in time nodes * rules.
///
/// Rejects placeholders and the output. A node with an unknown dtype matches no rule on dtypes.
class RuleSupport final : public OperatorSupportBase {
public:
    /// `rules` and `model` are not kept.
    RuleSupport(const SupportRules& rules, const GraphModule& model);

    bool isNodeSupported(const Module& root, const Node& node) const override;
    Message refusal(const Module& root, const Node& node) const override;
    /// The number of supported nodes in the model.
    std::size_t supportedCount() const { return m_supported; }
    /// Warnings about rules that match no node of the model, and rules that other rules always override.
    const Warnings& warnings() const { return m_warnings; }

private:
    friend class RuleJudge;
    /// Why a node is rejected: an index into `m_reasons`, or kSupported.
    static constexpr std::uint32_t kSupported = 0xFFFFFFFFu;
    std::vector<std::uint32_t> m_verdicts; ///< by node id
    std::vector<Message> m_reasons;
    std::size_t m_supported = 0;
    Warnings m_warnings;
};

/// Returns the canonical qualified name of an operator in options: `operator.getitem` and `_operator.getitem` are
/// `_operator.getitem`; `aten.add.Tensor` is `torch.ops.aten.add.Tensor`.
std::string canonicalTarget(std::string_view name);

} // namespace fx
