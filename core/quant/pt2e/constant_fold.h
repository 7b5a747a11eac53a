// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/quant_engine.h"

namespace fx::quant::pt2e {

/// True if Python's hasattr would find the attribute.
bool hasAttribute(const Module& module, const std::string& name);

/// Mirrors torchao's `constant_fold` of `quantize` calls: replaces calls that depend on attributes alone by
/// `_frozen_paramN`, and erases get_attr nodes without users. `engine` computes calls whose input is not an attribute;
/// without one only the graph changes, and values stay as they are.
void foldQuantized(GraphModule& model, QuantEngine* engine);

/// Computes `quantized_decomposed.quantize_per_channel` of an attribute, with every operation rounded as in PyTorch.
/// Returns null if `values` or `scales` is not plain float32 or the shapes do not match.
TensorPtr quantizedPerChannel(const TensorRef& values, const TensorRef& scales, const TensorRef& zeroPoints,
                              std::int64_t axis, std::int64_t low, std::int64_t high, DType dtype);

} // namespace fx::quant::pt2e
