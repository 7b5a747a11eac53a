// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_map>

namespace fx {

/// The origin of a node in a normalised model: the model's node that calls a graph, and the node in that graph.
struct InlinedFrom {
    std::string call, inner; ///< node names
};
/// Origins by name in the normalised model. Nodes of the original model have no entry.
using InlinedNodes = std::unordered_map<std::string, InlinedFrom>;

/// Returns a model without cuts: each call of a GraphModule (`submod_0` of split_module, `fused_0` of a partitioner, a
/// stage) is replaced by its nodes, at any depth. Values that cross a border are used directly:
///
///     x ─▶ submod_0 ─▶ getitem ─▶ submod_1 ─▶ y          x ─▶ conv ─▶ chunk ─▶ getitem ─▶ relu ─▶ y
///              └─────▶ getitem_1 ──┘                                    └────▶ getitem_1 ──┘
///
/// Tuples and dicts that a child returns are unpacked. Nodes keep their names from the child where these are free.
/// Modules and tensors keep their paths: `conv` calls "submod_0.conv" of the same module tree. A child is not inlined
/// if it has forward hooks or the arguments of the call do not match.
///
/// Returns the model itself if there is nothing to inline or the result would exceed `kMostNodes`. Linear in the nodes
/// of the result; no recursion. Throws nothing. Fills `inlined` unless it is null.
std::shared_ptr<const GraphModule> normalised(const std::shared_ptr<const GraphModule>& model,
                                              InlinedNodes* inlined = nullptr);

} // namespace fx
