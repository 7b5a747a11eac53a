// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/module/graph_module.h"
#include "core/onednn/layer_times.h"
#include "core/shapes/node_shapes.h"

namespace fx {

/// The interface through which passes compute tensors; implemented by the worker client.
class TensorEngine {
public:
    virtual ~TensorEngine() = default;
    /// Returns the shapes of all nodes for the user's or guessed inputs. Throws Error{Run, Usage, Cancelled}.
    virtual NodeShapes shapes(const GraphModule& model) = 0;
    /// Returns the values of a part of a graph. The metadata of its placeholders tells what they are; numbers are
    /// recorded, too. Runs only pure operators, on tensors without values; nodes that need more fail. `gradients`: as
    /// requires_grad of ShapeProp. Without an implementation, nothing is known. Throws Error{Run, Cancelled}.
    virtual NodeShapes partShapes(const GraphModule& /*part*/, bool /*gradients*/) { return {}; }
    /// Returns the values of a model without inputs, one per item of its output tuple. Throws Error{Run, Cancelled}.
    virtual std::vector<ValueTree> values(const GraphModule& model) = 0;
    /// Returns the times of a model's fused layers (core/onednn), for the user's or guessed inputs. Throws Error{Run,
    /// Usage, Cancelled}.
    virtual std::vector<onednn::LayerTimes> layerTimes(const GraphModule& model) = 0;
    /// Returns the times of both models, measured alternately; throws as `layerTimes`.
    virtual onednn::WholeTimes wholeTimes(const GraphModule& before, const GraphModule& after) = 0;
};

} // namespace fx
