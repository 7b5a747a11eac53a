// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// Formats the settings that distinguish modules of one class, in the usual short form:
///
///     Conv2d          3→32 3×3 /2 groups=4       LSTM                  80→256 2 layers bidirectional
///     Linear          512→1000                   MultiheadAttention    512 8 heads
///     Dropout         p=0.1                      LayerNorm             512 eps=1e-12
///
/// Sizes come first, then settings that differ from the defaults of the constructor. Settings that the shapes already
/// show (padding, bias, momentum) are omitted. Classes outside of PyTorch show only settings with the usual names, as
/// subclasses of nn.Conv2d have. The result may be empty.
std::string briefSettings(const Module& module);

} // namespace fx
