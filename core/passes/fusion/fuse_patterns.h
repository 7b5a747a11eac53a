// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Replaces decomposed forms by one operator: attention, layer and RMS normalisation, GELU, hardswish, hardsigmoid,
/// SiLU and Mish (core/passes/pattern_library). The forms may be spelled with operators, functions, methods, modules or
/// ATen operators; in a graph of ATen operators the result is one, too.
Pass fusePatternsPass();

} // namespace fx
