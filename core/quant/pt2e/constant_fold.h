// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/quant_engine.h"

namespace fx::quant::pt2e {

/// Whether Python's hasattr would find it.
bool hasAttribute(const Module& module, const std::string& name);

/// torchao `constant_fold` of quantize calls: those that depend on attributes alone become `_frozen_paramN`, and
/// get_attr nodes that nothing uses go. `engine` is asked for calls whose input is not an attribute; without one,
/// values stay as they are, and only the graph changes.
void foldQuantized(GraphModule& model, QuantEngine* engine);

/// `quantized_decomposed.quantize_per_channel` of an attribute, every operation rounded as in PyTorch. Null if a tensor
/// is not plain float32 (values, scales) or the geometry does not fit.
TensorPtr quantizedPerChannel(const TensorRef& values, const TensorRef& scales, const TensorRef& zeroPoints,
                              std::int64_t axis, std::int64_t low, std::int64_t high, DType dtype);

} // namespace fx::quant::pt2e
