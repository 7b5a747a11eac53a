// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/pytree_form.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// What only the trace of a source knows: how the inputs are nested, and where each node was called (torch.fx
/// `Tracer.node_name_to_scope`, which saved files lose).
class SourceScopes final : public PytreeForm {
public:
    struct Scope {
        std::string path; ///< of the innermost module whose forward was running; empty: the root
        std::string type; ///< its class: "net.Block", "torch.nn.modules.container.Sequential"
    };
    /// Of a node by its NodeId; that of the root for those after the last call of another module.
    const Scope& of(std::size_t node) const {
        static const Scope kRoot;
        return node < m_byNode.size() && m_byNode[node] != kNone ? m_scopes[m_byNode[node]] : kRoot;
    }
    /// Whether something is known of a node.
    bool knows(std::size_t node) const { return node < m_byNode.size(); }

    bool hasSwapped = false; ///< FloatFunctional was replaced before the trace, as torch.ao does

    /// A member that only a derived class has.
    struct OwnMember {
        std::string type, name;
    };
    std::vector<std::string> floatFunctionals; ///< classes of modules that derive from torch.ao's FloatFunctional
    std::optional<OwnMember> ownMember;        ///< the first method of such a class that was called

    /// With such a method: the traces after FloatFunctional was replaced, which call it no longer, and the graph that
    /// was traced with it, as text; null if such a trace failed. Methods may ask for `self.training`, and quantisation
    /// sets eval mode first, or training for QAT.
    struct Swapped {
        std::shared_ptr<const GraphModule> evaluating, training;
        std::string replaces;
    };
    std::shared_ptr<const Swapped> swapped;

    /// Gives the nodes from `first` on that have no scope yet this one: inner modules return first.
    void leave(Scope scope, std::size_t first, std::size_t end) {
        if (m_byNode.size() < end) m_byNode.resize(end, kNone);
        for (std::size_t i = first; i < end; ++i)
            if (m_byNode[i] == kNone) m_byNode[i] = static_cast<std::uint32_t>(m_scopes.size());
        m_scopes.push_back(std::move(scope));
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::vector<Scope> m_scopes; ///< in the order in which modules were left
    std::vector<std::uint32_t> m_byNode;
};

} // namespace fx
