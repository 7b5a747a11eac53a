// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/module/graph_module.h"

#include <optional>
#include <string>

namespace fx {

/// Returns a hash of a model's graph that identifies the model of a step `quantize`; tensor values do not count.
std::string quantisedOf(const GraphModule& model);

/// Returns the calibration data file of the last step `quantize`; empty if it has none. Returns nullopt if no step
/// quantises.
std::optional<std::string> quantisedWith(const StepList& steps);

} // namespace fx
