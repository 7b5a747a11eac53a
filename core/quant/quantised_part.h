// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx::quant {

/// Evidence that a model is already prepared or quantised: a call, else a module or a tensor.
struct QuantisedPart {
    std::string node; ///< calls that quantise, dequantise or compute with quantised values; empty: see `modulePath`
    std::string modulePath; ///< path of a quantised module, an observer or a quantised tensor; "" for the root
};
/// Returns the first such part, or nullopt.
std::optional<QuantisedPart> quantisedPart(const GraphModule& model);

} // namespace fx::quant
