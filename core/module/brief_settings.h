// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

namespace fx {

/// The settings that tell modules of one class apart, as short as people write them:
///
///     Conv2d          3→32 3×3 /2 groups=4       LSTM                  80→256 2 layers bidirectional
///     Linear          512→1000                   MultiheadAttention    512 8 heads
///     Dropout         p=0.1                      LayerNorm             512 eps=1e-12
///
/// Sizes first, then what differs from the defaults of the constructor. What other settings or the shapes already tell
/// (padding, bias, momentum) is left out. Classes outside PyTorch show only settings that carry the usual names, as
/// subclasses of nn.Conv2d do. Empty if there is nothing to tell.
std::string briefSettings(const Module& module);

} // namespace fx
