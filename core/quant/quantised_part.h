// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx::quant {

/// What shows that a model has been prepared or quantised: a call, else a module or a tensor.
struct QuantisedPart {
    std::string node;       ///< that quantises, dequantises or computes with quantised values; empty: see modulePath
    std::string modulePath; ///< of a quantised module, an observer or a quantised tensor; "" for the root
};
/// The first such part, or nothing.
std::optional<QuantisedPart> quantisedPart(const GraphModule& model);

} // namespace fx::quant
