// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Makes a model faster on this machine: folds batch normalisation, removes dropout, fuses attention and activations
/// into operators, and replaces layers and their successors by packed kernels of oneDNN or MKL where these are faster.
///
/// A fused layer is a call_module of a GraphModule that holds the nodes it replaces, so it is drawn, saved and run
/// like them. Its attribute `onednn_kernel` names the kernel (core/onednn). Needs the worker, which measures each
/// layer. The model stays unchanged unless the whole is measured to be faster (`timing::mayReplace`).
///
/// The notes are passes.onednn_fused for each fused layer (passes.onednn_together and passes.onednn_channels_last for
/// those not measured to be faster alone), passes.onednn_folded for each folded normalisation, a reason for each one
/// that is kept, and passes.onednn_whole, passes.onednn_not_faster or passes.onednn_few for the model.
Pass onednnPass();

} // namespace fx
