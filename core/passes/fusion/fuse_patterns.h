// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Replaces decomposed forms by one operator: attention, layer and RMS normalisation, GELU, hardswish, hardsigmoid,
/// SiLU and Mish (pattern_library.h). Matches any spelling: operators, functions, methods, modules or ATen operators.
/// In a graph of ATen operators the replacement is an ATen operator.
Pass fusePatternsPass();

} // namespace fx
