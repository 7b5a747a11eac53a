// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx::quant {

/// Bytes of the tensors of a module and of those in it, packed weights as the integers that they are. Each object
/// counts once. Scales and zero points count too: those of quantised tensors, and those of outputs that quantised
/// layers have as numbers.
std::int64_t tensorBytes(const Module& module);

} // namespace fx::quant
