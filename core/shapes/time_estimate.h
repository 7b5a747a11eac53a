// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/shapes/cost.h"

#include <string>
#include <unordered_map>

namespace fx {

/// The machine that `estimatedTimes` assumes: a few cores of a common processor.
inline constexpr double kAssumedGflops = 100, kAssumedGbytes = 10;

/// Milliseconds of each call by name, from FLOPs and bytes alone: the longer of computing at kAssumedGflops and moving
/// data at kAssumedGbytes per second (the roofline model, Williams 2009). Good for comparing parts of a model, not for
/// predicting how long it runs. Shapes are taken from the metadata of the nodes; calls without them, or with
/// symbolic ones, count 0. Empty if those are more than half. Linear.
std::unordered_map<std::string, double> estimatedTimes(const GraphModule& model);

} // namespace fx
