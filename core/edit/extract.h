// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <span>
#include <vector>

namespace fx {

/// A selection of nodes as a separate model.
struct Extracted {
    GraphModule model;
    std::vector<NodeId> inputs;  ///< nodes of the original model, one per input of `model`, in order
    std::vector<NodeId> outputs; ///< nodes of the original model whose values `model` returns, in order
};

/// Creates a model from `nodes`, with their names, in graph order. Similar to torch.fx's `fuse_as_graphmodule`:
///
/// - Values from outside become inputs named like their nodes, in the order of first use. Selected inputs stay inputs.
///   Inputs with defaults and starred ones come last, as Python requires.
/// - get_attr nodes that the selection uses are included, selected or not. So are the lifted parameters of an exported
///   program, which become get_attr nodes, as in `ep.module()`. (torch.fx turns them into inputs.)
/// - Values with users outside, and values without users, are returned in graph order: a single one as it is, several
///   as a tuple. (torch.fx does not return unused values.) Inputs and get_attr nodes are returned only if there are no
///   other values.
/// - If the output is selected, the model returns exactly what the original model returns.
/// - Only modules and tensors used by the nodes are included; modules on the path to them are empty.
///
/// A selection may have gaps; values computed in a gap become inputs. Modules and tensors are shared with `model`.
/// Throws Error{Refused} for an empty selection.
Extracted extractNodes(const GraphModule& model, std::span<const NodeId> nodes);

} // namespace fx
