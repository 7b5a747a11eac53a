// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Makes operators of a functional ATen graph write to their first argument, and `*_scatter` calls to the view that
/// they invert, if no node needs the previous value. Mirrors torch.fx's `reinplace`, but never writes to parameters
/// and buffers. Shapes come from the graph's metadata, or from the worker.
Pass reinplacePass();

} // namespace fx
