// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"
#include "core/quant/quant_engine.h"

namespace fx::quant {

/// Mirrors torch.ao `_lower_to_native_backend`: replaces patterns of the reference form by quantised modules and
/// operators:
///
///     x ─▶ dequantize ─▶ Linear ─▶ quantize_per_tensor ─▶ y        x ─▶ quantized.Linear ─▶ y
///
/// The engine quantises the weights; without one the lowered modules hold the float weights. Throws Error{Refused}
/// where torch.ao raises.
void lower(GraphModule& model, const PreparedState& state, QuantEngine* engine);

} // namespace fx::quant
