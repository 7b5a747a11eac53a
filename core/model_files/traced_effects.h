// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/foresee.h"

namespace fx {

/// Returns what a graph does in each run and PyTorch does not, or does otherwise, once it has traced the saved code
/// again on loading:
/// - `x += y` becomes `x = x + y`, which neither writes to the memory of x nor keeps its dtype;
/// - calls that no input or parameter reaches are made while the file loads, and not in each run: random numbers,
///   writes to buffers, switches of modes, new tensors that later calls write to;
/// - functions that look at a Python object (`is`, `isinstance`) see a proxy.
///
/// One entry per node; random numbers are one entry. Linear.
std::vector<Foreseen> tracedEffects(const GraphModule& model);

} // namespace fx
