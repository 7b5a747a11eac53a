// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `CSEPass`: merges nodes that compute the same value into the first one.
///
/// torch.fx's pass assumes functional graphs and also merges operators that draw random numbers or write to their
/// arguments. Here this needs the setting `safe: false`, which is exactly CSEPass(). `banned` lists operators to skip
/// (banned_ops).
Pass csePass();

} // namespace fx
