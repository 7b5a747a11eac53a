// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/traced.h"

namespace fx::quant {

/// Mirrors torch.ao `fuse`: replaces convolutions and linear layers, with the normalisations and activations after
/// them, by one module at the path of the layer:
///
///     x ─▶ conv ─▶ bn ─▶ relu ─▶ y        x ─▶ conv (ConvReLU2d) ─▶ y
///
/// In eval mode a normalisation is folded into the weights; for QAT it stays a part. Throws Error{Refused} where
/// torch.ao raises.
void fuseTraced(TracedModel& traced, const BackendConfig& backend, bool isQat);

} // namespace fx::quant
