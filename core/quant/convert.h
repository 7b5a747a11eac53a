// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"
#include "core/quant/quant_engine.h"

namespace fx::quant {

/// Settings of `convert`.
struct ConvertOptions {
    bool isReference = false; ///< `convert_to_reference_fx`: `quantize`/`dequantize` pairs and reference modules
    /// Mirrors torch.backends.quantized.engine; decides `reduce_range` of dynamic quantisation.
    Backend engine = Backend::X86;
};

/// Mirrors torch.ao `convert_fx` and `convert_to_reference_fx`. Observers become `quantize` and `dequantize` calls,
/// and layers become reference modules; unless `isReference` is set, patterns are then lowered to quantised modules
/// and operators. `engine` computes scales and quantises weights. Without one, scales are 1, zero points 0 and weights
/// stay in floating point; names and graph are the same. Throws Error{Refused} where torch.ao raises, and the errors
/// of QuantEngine.
GraphModule convert(const PreparedModel& prepared, const ConvertOptions& options, QuantEngine* engine);

} // namespace fx::quant
