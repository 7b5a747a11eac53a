// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ops/semantics.h"

namespace fx::ops {

/// The work of a module: that of the function of its name (`BatchNorm2d` as batch_norm), else what its family does.
/// `qualifiedType` as in "torch.nn.modules.conv.Conv2d".
CostClass costOfModule(std::string_view qualifiedType);

} // namespace fx::ops
