// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/operator_support.h"
#include "core/partition/support_rules.h"

namespace fx {

/// Rules applied to one model: each node is evaluated once, in the constructor. Takes nodes times rules.
///
/// Placeholders and the output are not supported. An unknown dtype matches no rule.
class RuleSupport final : public OperatorSupportBase {
public:
    RuleSupport(const SupportRules& rules, const GraphModule& model);

    bool isNodeSupported(const Module& root, const Node& node) const override;
    std::string refusal(const Module& root, const Node& node) const override;
    /// The number of supported nodes.
    std::size_t supportedCount() const { return m_supported; }
    /// Warnings about rules that match no node of the model, and rules that are always overruled.
    const Warnings& warnings() const { return m_warnings; }

private:
    friend class RuleJudge;
    /// Why a node is rejected: an index into m_reasons, or kSupported.
    static constexpr std::uint32_t kSupported = 0xFFFFFFFFu;
    std::vector<std::uint32_t> m_verdicts; ///< by node id
    std::vector<std::string> m_reasons;
    std::size_t m_supported = 0;
    Warnings m_warnings;
};

/// The canonical spelling of an operator's qualified name in options: `operator.getitem` and
/// `_operator.getitem` are
/// `_operator.getitem`; `aten.add.Tensor` is `torch.ops.aten.add.Tensor`.
std::string canonicalTarget(std::string_view name);

} // namespace fx
