// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// Infers the inputs of a graph inside a model from the shapes in the metadata of the model's nodes.
///
///     relu 1×64×56×56 ── block(relu)          block's placeholder x: 1×64×56×56
///     cond(pred, true_graph_0, false_graph_0, (relu,))          the operands after the graphs
///
/// `node` is a call_module of a GraphModule, or the get_attr of a graph that a higher-order operator takes. Returns
/// nullopt if a shape is unknown or symbolic, or the arguments do not match the placeholders. One pass over the nested
/// graph; reads no values.
std::optional<InputDescription> nestedInputs(const GraphModule& model, const Node& node, const GraphModule& nested);

} // namespace fx
