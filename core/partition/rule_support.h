// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/operator_support.h"
#include "core/partition/support_rules.h"

namespace fx {

/// Rules applied to one model: each node is judged once, when this is made. Linear in the nodes, times the rules.
///
/// Placeholders and the output are not supported. A dtype that is not known is none of those that a rule wants.
class RuleSupport final : public OperatorSupportBase {
public:
    RuleSupport(const SupportRules& rules, const GraphModule& model);

    bool isNodeSupported(const Module& root, const Node& node) const override;
    Message refusal(const Module& root, const Node& node) const override;
    /// How many nodes are supported.
    std::size_t supportedCount() const { return m_supported; }
    /// Rules that name no node of the model, and rules that the others overrule everywhere.
    const Warnings& warnings() const { return m_warnings; }

private:
    friend class RuleJudge;
    /// Why a node is refused: an index into m_reasons, or supported.
    static constexpr std::uint32_t kSupported = 0xFFFFFFFFu;
    std::vector<std::uint32_t> m_verdicts; ///< by node id
    std::vector<Message> m_reasons;
    std::size_t m_supported = 0;
    Warnings m_warnings;
};

/// The one spelling of an operator's qualified name by which options name it: `operator.getitem` and
/// `_operator.getitem` are
/// `_operator.getitem`; `aten.add.Tensor` is `torch.ops.aten.add.Tensor`.
std::string canonicalTarget(std::string_view name);

} // namespace fx
