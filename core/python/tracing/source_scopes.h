// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/pytree_form.h"

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
    std::vector<Scope> byNode; ///< by NodeId; shorter than the graph if the last nodes are the root's

    bool hasSwapped = false; ///< FloatFunctional was replaced before the trace, as torch.ao does

    /// A member that only a derived class has.
    struct OwnMember {
        std::string type, name;
    };
    std::vector<std::string> floatFunctionals; ///< classes of modules that derive from torch.ao's FloatFunctional
    std::optional<OwnMember> ownMember;        ///< the first method of such a class that was called

    /// Gives the nodes from `first` on that have no scope yet this one: inner modules return first.
    void leave(const Scope& scope, std::size_t first, std::size_t end) {
        if (byNode.size() < end) byNode.resize(end);
        for (std::size_t i = first; i < end; ++i)
            if (byNode[i].type.empty()) byNode[i] = scope;
    }
};

} // namespace fx
