// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/semantics.h"

namespace fx::ops {

/// Returns the cost class of a module: that of the function of the same name (batch_norm for `BatchNorm2d`), else that
/// of its family. `qualifiedType` is as in "torch.nn.modules.conv.Conv2d".
CostClass costOfModule(std::string_view qualifiedType);

} // namespace fx::ops
