// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/prepare_pt2e.h"
#include "core/quant/quant_engine.h"

namespace fx::quant::pt2e {

/// Settings of torchao's `convert_pt2e`.
struct ConvertPt2eOptions {
    bool foldQuantize = true; ///< weights are stored as integers (torchao's `fold_quantize`)
};

/// torchao 0.18.0 `convert_pt2e`: observers become pairs of `quantized_decomposed` calls, normalisations that QAT kept
/// are folded, each user gets a dequantize of its own, and quantised weights are stored as `_frozen_paramN`. Graph
/// text, names and order are torchao's.
///
/// Scales come from `engine`. Without one they are 1, zero points 0, and weights stay as they are: names and graph do
/// not depend on them. Throws Error{Refused} where torchao raises, and what the engines throw.
GraphModule convertPt2e(const PreparedPt2e& prepared, const ConvertPt2eOptions& options, QuantEngine* engine);

} // namespace fx::quant::pt2e
