// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx's `reinplace`: operators of a functional ATen graph write into their first argument, and `*_scatter` calls
/// into the view that they undo, where nothing needs the value from before. Shapes come from the metadata of the graph,
/// or from the worker. Unlike torch.fx, never writes to parameters and buffers either.
Pass reinplacePass();

} // namespace fx
