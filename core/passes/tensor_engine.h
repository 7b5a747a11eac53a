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
    /// Shapes of all nodes for the user's or guessed inputs. Throws Error{Run, Usage, Cancelled}.
    virtual NodeShapes shapes(const GraphModule& model) = 0;
    /// The values that a model without inputs returns, one per item of the tuple that its output is. Throws Error{Run,
    /// Cancelled}.
    virtual std::vector<ValueTree> values(const GraphModule& model) = 0;
    /// The times of the fused layers of a model (core/onednn), on the user's or guessed inputs. Throws Error{Run,
    /// Usage, Cancelled}.
    virtual std::vector<onednn::LayerTimes> layerTimes(const GraphModule& model) = 0;
    /// Both models in alternation, likewise.
    virtual onednn::WholeTimes wholeTimes(const GraphModule& before, const GraphModule& after) = 0;
};

} // namespace fx
