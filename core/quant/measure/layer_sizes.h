// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant {

/// Returns the bytes of all tensors in a module and its children; packed weights count as integers. Shared tensors
/// count once. The sum includes scales and zero points of quantised tensors, and those that quantised layers store as
/// numbers for their outputs.
std::int64_t tensorBytes(const Module& module);

} // namespace fx::quant
