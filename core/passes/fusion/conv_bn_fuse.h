// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `optimization.fuse`: folds batch normalisation into the convolution or linear layer before it, bit for bit
/// like PyTorch.
Pass convBnFusePass();

} // namespace fx
