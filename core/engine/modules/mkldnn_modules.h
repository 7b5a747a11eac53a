// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Returns the forward of a module of torch.utils.mkldnn, or null. Weights are stored as dense tensors and converted
/// on first use. On tensors without values, it computes the corresponding torch.nn module.
ModuleForm mkldnnForm(const Module& module);

} // namespace fx::engine
