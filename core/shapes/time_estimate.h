// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/shapes/cost.h"

#include <string>
#include <unordered_map>

namespace fx {

/// The machine that `estimatedTimes` assumes: a few cores of a common processor. In GFLOP/s and GB/s.
inline constexpr double kAssumedGflops = 100, kAssumedGbytes = 10;

/// Estimates the milliseconds of each call, by node name, from FLOPs and bytes alone: the longer of computing at
/// kAssumedGflops and moving data at kAssumedGbytes (the roofline model, Williams 2009). Use it to compare parts of a
/// model, not to predict run times. Shapes come from the metadata of the nodes; calls with missing or symbolic shapes
/// count 0. Returns an empty map if these are more than half. Linear.
std::unordered_map<std::string, double> estimatedTimes(const GraphModule& model);

} // namespace fx
