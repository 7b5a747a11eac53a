// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Folds batch normalisation into the preceding convolution or linear layer, bit for bit like PyTorch. Mirrors
/// torch.fx's `optimization.fuse`.
Pass convBnFusePass();

} // namespace fx
