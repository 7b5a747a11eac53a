// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Merges nodes that compute the same value into the first one. Mirrors torch.fx's `CSEPass`.
///
/// torch.fx assumes functional graphs and also merges operators that draw random numbers or write to their arguments.
/// Lancet does so only with the setting `safe: false`, which equals CSEPass(). `banned` lists operators to skip
/// (banned_ops).
Pass csePass();

} // namespace fx
