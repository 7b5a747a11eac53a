// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/shapes/node_shapes.h"

#include <functional>

namespace fx::engine {

/// Options for shape inference.
struct ShapesOptions {
    bool gradients = true;             ///< record requires_grad, like torch.fx's ShapeProp without no_grad
    std::function<RunInputs()> values; ///< inputs with values, for shapes that depend on values (nonzero, item); if
                                       ///< empty, the model never runs
    std::function<void(const Node& node)> before =
        {};               ///< called for each node; an exception from it ends the inference
    bool numbers = false; ///< also record results that are numbers
};

/// Infers shape, dtype, strides and requires_grad of every node, like torch.fx's ShapeProp, but without computing
/// values if possible.
///
/// The graph runs on meta tensors: parameters and inputs become tensors without values, while small constants
/// (positions, masks, and values computed only from these) keep theirs. An operator without a meta kernel runs on the
/// CPU with placeholder values. If a node still needs values, the model runs once with `values`. A failing node is
/// reported with its input shapes and the likely cause; its dependents stay unknown, and everything else is inferred.
/// Values of `inputs` are not used, so they may be meta tensors. The state of modules does not change outside this
/// call.
NodeShapes nodeShapes(const std::shared_ptr<const GraphModule>& model, const RunInputs& inputs,
                      const ShapesOptions& options = {});

/// Returns a value as an input: a meta tensor, or a number. Throws Error{File} if sizes or strides are not numbers, or
/// the dtype is unknown.
Value recordedValue(const ValueInfo& info);
/// Returns a meta tensor, as an input.
Value shapeOnly(const std::vector<std::int64_t>& sizes, at::ScalarType type);

/// Returns shape, dtype, strides and requires_grad of a tensor.
ValueInfo infoOf(const at::Tensor& tensor);

} // namespace fx::engine
