// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx::quant {

/// A layer of a quantised model and the node of the float model that computes the same in reals.
struct LayerPair {
    NodeId quantised = kNoNode, original = kNoNode;
    std::string layer; ///< path of the module that is called, else the node's name
};

/// Pairs the nodes of a quantised model with those of the model that it was made from, in graph order:
///
///     conv ── bn ── relu ─┐                    conv (ConvReLU2d) ──┐
///     x ──────── conv2 ───┴─ add ── relu_1     quantize ── conv2 ──┴─ add_relu
///
/// `conv` is paired with `relu`, `conv2` with itself, `add_relu` with `relu_1`. A node is found by its name and target;
/// else as the one that uses the partners of all its inputs and computes the same: operators that are lowered have new
/// names (torch.ops.quantized.hardswish for functional.hardswish). What follows it alone and is not computed by any
/// that takes the quantised layer's result was fused into it, with weights of its own or without (`batch_norm(conv,
/// weight, bias, …)` of an exported program). Quantise and dequantise nodes stand for their inputs. Nodes without a
/// counterpart are left out.
std::vector<LayerPair> layerPairs(const GraphModule& original, const GraphModule& quantised);

} // namespace fx::quant
