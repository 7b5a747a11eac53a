// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace ui {

/// Maps the nodes of a version to those after an edit. A node that stays maps to itself. An erased node maps to the new
/// node that its users take instead, or to the only new node with the same call.
class CarriedNodes {
public:
    /// Both models are versions of one model and must outlive the object. Linear in the nodes.
    CarriedNodes(const fx::GraphModule& before, const fx::GraphModule& after);
    /// Returns the node after the edit, or kNoNode.
    fx::NodeId operator[](fx::NodeId before) const;
    /// Returns the node if it stays, else kNoNode. O(1).
    fx::NodeId same(fx::NodeId before) const;
    /// Returns the node if it stays, else the new node that its users take instead, or kNoNode. Linear in its users.
    fx::NodeId sameOrTaken(fx::NodeId before) const;

private:
    fx::NodeId takenInstead(fx::NodeId node) const;
    fx::NodeId sameCall(fx::NodeId node) const;

    const fx::Graph &m_before, &m_after;
    std::vector<fx::NodeId> m_created; ///< sorted
};

} // namespace ui
