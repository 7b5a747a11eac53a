// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx's `AnnotateTypesWithSchema`: the return annotations of functions in torch.nn.functional and of torch.nn's
/// modules, and the types of attributes, as types of nodes; and `annotate_getitem_nodes`. Unlike there, attributes that
/// are no tensors, numbers, flags or texts get no type, and no graph is traced anew.
Pass annotateTypesPass();

} // namespace fx
