// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Replaces a call_module node by the nodes of the GraphModule that it calls. Mirrors torch.fx's `_inline_module`; the
/// inverse of fuseByPartitions:
///
///     x ─▶ fused_0 ─▶ getitem ─▶ y        x ─▶ a ─▶ b ─▶ y
///
/// Nodes keep their names from the module where these are free. Uses the model's modules and tensors where they exist
/// at the same path; others stay below the path of the call. Removes the module if nothing refers to it any more.
/// Calls that were not adjacent before fusing become adjacent. Throws Error{Refused}, and leaves the model unchanged,
/// if the node does not call a GraphModule or the arguments do not match. O(nodes of both). Returns the created nodes,
/// in order.
std::vector<NodeId> inlineModule(GraphModule& model, NodeId call);

} // namespace fx
