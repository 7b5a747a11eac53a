// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <span>
#include <vector>

namespace fx {

/// A selection of nodes as a model of its own.
struct Extracted {
    GraphModule model;
    std::vector<NodeId> inputs;  ///< nodes of the whole model, one per input of `model`, in order
    std::vector<NodeId> outputs; ///< nodes of the whole model whose values `model` returns, in order
};

/// Makes a model of `nodes`, with their names, in the order of the graph. Close to torch.fx's `fuse_as_graphmodule`:
///
/// - Values from outside become inputs named like their nodes, in the order in which the selection first uses them;
/// selected
///   inputs stay inputs. Inputs with defaults and starred ones come last, since Python wants them there.
/// - What the selection reads by get_attr comes along, selected or not, and so do parameters that an exported program
/// takes as
///   inputs: they become get_attr nodes, as in `ep.module()`. (torch.fx makes inputs of them.)
/// - Values that are used outside, or by nothing, are returned in the order of the graph: one as itself, several as a
/// tuple. (torch.fx
///   does not return what nothing uses.) Inputs and get_attr nodes are not returned when there is anything else.
/// - When the output is selected, the model returns exactly what the whole one does.
/// - Only modules and tensors that the nodes name come along; modules on the way to them are empty ones.
///
/// A selection with gaps is fine: what lies between becomes an input. Modules and tensors are shared with `model`.
/// Throws Error{Refused} for an empty selection.
Extracted extractNodes(const GraphModule& model, std::span<const NodeId> nodes);

} // namespace fx
