// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/pytree_form.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// Facts that only the trace of a source has: how the inputs are nested, and in which module each node was called
/// (torch.fx `Tracer.node_name_to_scope`, which saved files lose).
class SourceScopes final : public PytreeForm {
public:
    /// The module that called a node.
    struct Scope {
        std::string path; ///< of the innermost running module; empty for the root
        std::string type; ///< its class: "net.Block", "torch.nn.modules.container.Sequential"
    };
    /// Returns the scope of a node, given its NodeId. Nodes after the last call of a submodule have the scope of the
    /// root.
    const Scope& of(std::size_t node) const {
        static const Scope kRoot;
        return node < m_byNode.size() && m_byNode[node] != kNone ? m_scopes[m_byNode[node]] : kRoot;
    }
    /// Returns true if the scope of a node is known.
    bool knows(std::size_t node) const { return node < m_byNode.size(); }

    bool hasSwapped = false; ///< FloatFunctional was replaced before the trace, like in torch.ao

    /// A member that a derived class adds.
    struct OwnMember {
        std::string type, name;
    };
    std::vector<std::string> floatFunctionals; ///< classes of modules that derive from torch.ao's FloatFunctional
    std::optional<OwnMember> ownMember;        ///< first method of such a class that was called

    /// Traces with FloatFunctional replaced, if such a method was called; they no longer call the method. `replaces` is
    /// the text of the original graph. Methods may read `self.training`; quantisation
    /// sets eval mode first, or training mode for QAT.
    struct Swapped {
        std::shared_ptr<const GraphModule> evaluating, training;
        std::string replaces;
    };
    /// Null without `ownMember`, or if such a trace failed.
    std::shared_ptr<const Swapped> swapped;

    /// Assigns `scope` to the nodes in [`first`, `end`) that have none. Inner modules return first.
    void leave(Scope scope, std::size_t first, std::size_t end) {
        if (m_byNode.size() < end) m_byNode.resize(end, kNone);
        for (std::size_t i = first; i < end; ++i)
            if (m_byNode[i] == kNone) m_byNode[i] = static_cast<std::uint32_t>(m_scopes.size());
        m_scopes.push_back(std::move(scope));
    }

    /// Results of `indexOf` for the root and for unknown nodes.
    static constexpr std::int64_t kOfRoot = -1, kUnknown = -2;
    /// All scopes, in the order in which modules returned.
    const std::vector<Scope>& all() const { return m_scopes; }
    /// Returns the index of a node's scope in `all`, or `kOfRoot` or `kUnknown`.
    std::int64_t indexOf(std::size_t node) const {
        if (!knows(node)) return kUnknown;
        return m_byNode[node] == kNone ? kOfRoot : static_cast<std::int64_t>(m_byNode[node]);
    }
    /// Restores the results of `all` and `indexOf`. Returns false and changes nothing if an index is invalid.
    bool set(std::vector<Scope> scopes, const std::vector<std::int64_t>& places) {
        std::vector<std::uint32_t> byNode;
        std::size_t known = 0;
        for (const std::int64_t place : places) {
            if (place < kUnknown || place >= static_cast<std::int64_t>(scopes.size())) return false;
            byNode.push_back(place < 0 ? kNone : static_cast<std::uint32_t>(place));
            if (place != kUnknown) known = byNode.size();
        }
        byNode.resize(known);
        m_scopes = std::move(scopes), m_byNode = std::move(byNode);
        return true;
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::vector<Scope> m_scopes; ///< in the order in which modules returned
    std::vector<std::uint32_t> m_byNode;
};

} // namespace fx
