// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/quantize_request.h"
#include "core/remote/quantising.h"

namespace app {

/// `quantize --scan`: with --resume, goes on where the file ends and keeps each result there. Throws what
/// `fx::remote::scanLayers` throws.
fx::remote::LayerScan scanLayers(const Session& session, const QuantizeRequest& request, std::size_t layers,
                                 const fx::remote::Quantisation& of, fx::remote::QuantWorker& worker);

/// Of a proposal that does not meet the budget, or whose output is lost.
fx::Warnings scanWarnings(const fx::remote::LayerScan& scan, const QuantizeRequest& request);

/// Members `"sensitivity"` and, with a budget, `"proposal"`.
void writeScan(fx::JsonWriter& json, const fx::remote::LayerScan& scan);
/// The layers as a table, those that cost most first, and the proposal for an error budget in dB. Modules of `graph`,
/// the prepared one, are called by their paths.
std::string scanText(const fx::remote::LayerScan& scan, const fx::Graph& graph, const std::optional<double>& budget);

} // namespace app
