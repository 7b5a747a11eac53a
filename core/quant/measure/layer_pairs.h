// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <vector>

namespace fx::quant {

/// A node of a quantised model and the float node that computes the same value before quantisation.
struct LayerPair {
    NodeId quantised = kNoNode, original = kNoNode;
    std::string layer; ///< path of the called module, else the node's name
};

/// Pairs the nodes of a quantised model with those of its float original, in graph order:
///
///     conv ── bn ── relu ─┐                    conv (ConvReLU2d) ──┐
///     x ──────── conv2 ───┴─ add ── relu_1     quantize ── conv2 ──┴─ add_relu
///
/// `conv` is paired with `relu`, `conv2` with `conv2`, `add_relu` with `relu_1`. A partner has the same name and
/// target; otherwise it is the node that uses the partners of all inputs and computes the same function, since lowered
/// operators have new names (torch.ops.quantized.hardswish for functional.hardswish). Sole users after the partner
/// count as fused into the layer, with or without weights (`batch_norm(conv, weight, bias, …)` of an exported
/// program), unless a user of the quantised layer computes them. `quantize` and `dequantize` nodes stand for their
/// inputs. Nodes without a counterpart are left out.
std::vector<LayerPair> layerPairs(const GraphModule& original, const GraphModule& quantised);

} // namespace fx::quant
