// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>
#include <string>

namespace fx {

/// Tells by its graph which model a step `quantize` belongs to; the values of its tensors do not count.
std::string quantisedOf(const GraphModule& model);

/// Whether a JSON array of steps quantises a model.
bool quantises(const std::string& steps);

/// The file with the data that the last step `quantize` of a JSON array of steps calibrated with; empty: with none.
/// nullopt if none quantises.
std::optional<std::string> quantisedWith(const std::string& steps);

} // namespace fx
