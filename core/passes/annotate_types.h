// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Mirrors torch.fx's `AnnotateTypesWithSchema` and `annotate_getitem_nodes`: sets node types from the return
/// annotations of torch.nn.functional functions and torch.nn modules, and from the types of attributes. Unlike
/// torch.fx, it gives no type to attributes other than tensors, numbers, booleans and strings, and does not retrace
/// the graph.
Pass annotateTypesPass();

} // namespace fx
