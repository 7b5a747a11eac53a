// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Makes a model faster on this machine: folds batch normalisation, removes dropout, fuses attention and activations
/// into operators, and turns layers with what follows them into packed kernels of oneDNN or MKL where these are faster.
///
/// A fused layer is a call_module of a GraphModule that holds the nodes it replaces, so that it is drawn, saved and run
/// as these, with the attribute `onednn_kernel` (core/onednn). Needs the worker, which measures each layer. The model
/// stays as it is unless the whole is shown to be faster (`timing::mayReplace`). Notes: passes.onednn_fused for each
/// fused layer (passes.onednn_together and passes.onednn_channels_last for those that are not shown to be faster
/// alone), passes.onednn_folded for each folded normalisation, the reason for each that stays, and for the whole
/// passes.onednn_whole, passes.onednn_not_faster or passes.onednn_few.
Pass onednnPass();

} // namespace fx
