// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/quantize_request.h"
#include "core/remote/quantising.h"

namespace app {

/// Runs `quantize --scan`. With --resume, continues the scan in the file and stores each result there. Throws like
/// `fx::remote::scanLayers`.
fx::remote::LayerScan scanLayers(const Session& session, const QuantizeRequest& request, std::size_t layers,
                                 const fx::remote::Quantisation& of, fx::remote::QuantWorker& worker);

/// Returns the warnings about a proposal that misses the budget, or whose output is lost.
fx::Warnings scanWarnings(const fx::remote::LayerScan& scan, const QuantizeRequest& request);

/// Writes the members `"sensitivity"` and, with a budget, `"proposal"`.
void writeScan(fx::JsonWriter& json, const fx::remote::LayerScan& scan);
/// Formats the layers as a table, the most sensitive first, and the proposal for an error budget in dB. `graph` is the
/// prepared graph; its modules are listed by path.
std::string scanText(const fx::remote::LayerScan& scan, const fx::Graph& graph, const std::optional<double>& budget);

} // namespace app
