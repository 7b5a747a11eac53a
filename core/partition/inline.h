// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Puts the nodes of the GraphModule that a call_module node calls in the place of the call (torch.fx
/// `_inline_module`), the inverse of fuseByPartitions:
///
///     x ─▶ fused_0 ─▶ getitem ─▶ y        x ─▶ a ─▶ b ─▶ y
///
/// Nodes get the names that they have in the module where these are free. Modules and tensors that stand at the same
/// path in the model are used from there, others stay below the path of the call; the module goes when nothing refers
/// to it any more. Calls that stood apart before they were fused come back together. Throws Error{Refused}, and the
/// model is then as it was, when the node calls no GraphModule or with other arguments than that takes. O(nodes of
/// both). Returns the nodes made, in order.
std::vector<NodeId> inlineModule(GraphModule& model, NodeId call);

} // namespace fx
