// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Makes a model faster on this machine: folds batch normalisation, removes dropout, fuses attention and activations
/// into operators, and turns layers with what follows them into packed kernels of oneDNN or MKL where these are faster.
///
/// A fused layer is a call_module of a GraphModule that holds the nodes it replaces, so that it is drawn, saved and run
/// as these, with the attribute `onednn_kernel` (core/onednn). Needs the worker, which measures each layer. Notes:
/// passes.onednn_fused for each fused layer (passes.onednn_channels_last where only what follows gets faster), the
/// reason for each that stays, and passes.onednn_whole.
Pass onednnPass();

} // namespace fx
