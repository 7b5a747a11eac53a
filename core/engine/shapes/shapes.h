// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/shapes/node_shapes.h"

#include <functional>

namespace fx::engine {

/// How shapes are found out.
struct ShapesOptions {
    bool gradients = true; ///< whether results need gradients, as torch.fx's ShapeProp without no_grad
    std::function<RunInputs()>
        values; ///< inputs with values, for where only these decide a shape (nonzero, item); empty: never run
    std::function<void(const Node& node)> before = {}; ///< for each node; what it throws ends the whole
};

/// Shape, type, strides and need of gradients of every node: torch.fx's ShapeProp, without computing values where that
/// is possible.
///
/// The graph runs on meta tensors: parameters and inputs become tensors without values, while small constants
/// (positions, masks, and what is computed from such alone) keep theirs. An operator that has no kernel for meta
/// tensors runs by itself on the CPU with made-up values. When a node asks for values all the same, the model runs once
/// with what `values` gives. A node that fails is told with both shapes and the node to blame; what depends on it stays
/// unknown, everything else is found out. Values of `inputs` are not used, they may be meta tensors. State of modules
/// does not change outside of this call.
NodeShapes nodeShapes(const std::shared_ptr<const GraphModule>& model, const RunInputs& inputs,
                      const ShapesOptions& options = {});

/// A tensor without values, as an input.
Value shapeOnly(const std::vector<std::int64_t>& sizes, at::ScalarType type);

/// What is known of a tensor.
ValueInfo infoOf(const at::Tensor& tensor);

} // namespace fx::engine
