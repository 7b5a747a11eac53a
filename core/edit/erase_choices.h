// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx {

/// The possible replacements for nodes to be erased, for a dialog that asks the user for one.
///
///     x ─ conv ─ add ─ relu      erasing add: relu can use conv or y; the other may become dead
///     y ────────/
struct EraseChoices {
    std::vector<NodeId> users; ///< users of the erased nodes that are not erased, in graph order
    /// Inputs of the erased nodes that the users can use instead. Those with the shape and dtype of the erased value
    /// come first, then in argument order. Excludes nodes that come after a user.
    std::vector<NodeId> candidates;
    std::size_t sameForm = 0; ///< number of candidates known to have the same shape and dtype
};
/// Returns the choices for erasing `nodes`.
EraseChoices eraseChoices(const GraphModule& model, const std::vector<NodeId>& nodes);

/// Returns the nodes that `cascade` also erases: those without users after erasing `nodes` and replacing their uses by
/// `with` (kNoNode: there are no users). In graph order; never inputs, the output or impure nodes. Linear in the nodes
/// and their inputs.
std::vector<NodeId> deadAfterErase(const GraphModule& model, const std::vector<NodeId>& nodes, NodeId with = kNoNode);

} // namespace fx
