// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace ui {

/// Where an edit put the nodes of a version: a node that stays is itself; one that was erased has handed on to the new
/// node that its users take instead, or to the only new one that calls the same.
class CarriedNodes {
public:
    /// Versions of one model, which have to outlive this. Linear in the nodes.
    CarriedNodes(const fx::GraphModule& before, const fx::GraphModule& after);
    /// The node of the version after the edit, or kNoNode.
    fx::NodeId operator[](fx::NodeId before) const;
    /// Only a node that stays; else kNoNode. O(1).
    fx::NodeId same(fx::NodeId before) const;
    /// As above, or what its users take instead. Linear in its users.
    fx::NodeId sameOrTaken(fx::NodeId before) const;

private:
    fx::NodeId takenInstead(fx::NodeId node) const;
    fx::NodeId sameCall(fx::NodeId node) const;

    const fx::Graph &m_before, &m_after;
    std::vector<fx::NodeId> m_created; ///< sorted
};

} // namespace ui
