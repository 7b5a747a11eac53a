// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"
#include "core/quant/quant_engine.h"

namespace fx::quant {

/// What `convert` makes of a prepared model.
struct ConvertOptions {
    bool isReference = false; ///< convert_to_reference_fx: quantize/dequantize pairs and reference modules
    /// torch.backends.quantized.engine, which decides `reduce_range` of dynamic quantisation.
    std::string engine = "x86";
};

/// torch.ao `convert_fx` and `convert_to_reference_fx`: observers become quantize and dequantize calls, layers become
/// reference modules, and, unless a reference is wanted, patterns are lowered to quantised modules and operators.
/// Scales and weights come from `engine`; without one, scales are 1, zero points 0 and weights stay as they are (names
/// and graph do not depend on them). Throws Error{Refused} where torch.ao raises, and what the engine throws.
GraphModule convert(const PreparedModel& prepared, const ConvertOptions& options, QuantEngine* engine);

} // namespace fx::quant
