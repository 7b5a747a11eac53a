// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// What can be said of erasing some nodes before it is done: for a window that asks what their users shall get.
///
///     x ─ conv ─ add ─ relu      erasing add: relu can use conv or y; the other may become dead
///     y ────────/
struct EraseChoices {
    std::vector<NodeId> users; ///< nodes outside that use the erased ones, in graph order
    /// Inputs from outside that the users can take instead: those with the shape and dtype of what they used first,
    /// then by their place among the arguments. Those that come after a user are left out.
    std::vector<NodeId> candidates;
    std::size_t sameForm = 0; ///< how many of the candidates surely have the same shape and dtype
};
EraseChoices eraseChoices(const GraphModule& model, const std::vector<NodeId>& nodes);

/// Nodes that nothing uses any more once `nodes` are gone and their users use `with` (kNoNode: there are no users):
/// what `cascade` erases too. In graph order; never inputs, the output or impure nodes. Linear in the nodes and their
/// inputs.
std::vector<NodeId> deadAfterErase(const GraphModule& model, const std::vector<NodeId>& nodes, NodeId with = kNoNode);

} // namespace fx
