// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/quant/pt2e/x86_quantizer.h"

namespace fx::quant::pt2e {

/// Reads the quantizer of `--qconfig`, in the layout of QConfigMapping's JSON:
///
///     {"": CONFIG, "object_type": [["torch.nn.Linear", CONFIG]], "module_name": [["layer1.0", CONFIG]]}
///
/// CONFIG is null (not quantised), "default" (torchao's for the mode), "reduce_range" (7-bit activations),
/// "linear_fp16", or a QConfig: the name of a torch.ao one or {"activation": OBSERVER, "weight": OBSERVER}. Without ""
/// the global configuration is "default". Throws Error{Refused} with the position in the JSON for rules that
/// X86InductorQuantizer lacks.
X86Quantizer x86QuantizerFromJson(const JsonValue& json, bool isQat, bool isDynamic);

/// Converts a QConfig of torch.ao to a configuration of torchao: quint8 becomes uint8, and so on.
X86ConfigPtr x86ConfigOf(const ObserverSpec* activation, const ObserverSpec* weight, bool isQat);

} // namespace fx::quant::pt2e
