// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// The layers with weights that a prepared model quantises, by the names of their nodes, in graph order: what a scan of
/// sensitivities goes through.
std::vector<std::string> quantisedLayers(const PreparedModel& prepared);

/// A mapping that quantises these layers as the prepared model does, and nothing else. `layers`: names of nodes.
QConfigMapping onlyLayers(const PreparedModel& prepared, const std::vector<std::string>& layers);
/// The mapping of the prepared model, with these layers left in floating point. `layers`: names of nodes.
QConfigMapping withoutLayers(const PreparedModel& prepared, const std::vector<std::string>& layers);

} // namespace fx::quant
