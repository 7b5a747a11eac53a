// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/pt2e/prepare_pt2e.h"
#include "core/quant/quant_engine.h"

namespace fx::quant::pt2e {

/// Settings of torchao's `convert_pt2e`.
struct ConvertPt2eOptions {
    bool foldQuantize = true; ///< store weights as integers (torchao's `fold_quantize`)
};

/// Mirrors torchao 0.18.0 `convert_pt2e`: replaces observers by pairs of `quantized_decomposed` calls, folds the
/// normalisations kept by QAT, gives each user a separate `dequantize` call, and stores quantised weights as
/// `_frozen_paramN`. Graph text, names and order are torchao's.
///
/// `engine` computes the scales. Without one, scales are 1, zero points 0, and weights stay in floating point; names
/// and graph are the same. Throws Error{Refused} where torchao raises, and the errors of QuantEngine.
GraphModule convertPt2e(const PreparedPt2e& prepared, const ConvertPt2eOptions& options, QuantEngine* engine);

} // namespace fx::quant::pt2e
