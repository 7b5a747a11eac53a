// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// The forward of a module of torch.utils.mkldnn, or null. Their weights are kept as dense tensors and converted when
/// they are first needed. For tensors without values: what the module of torch.nn gives.
ModuleForm mkldnnForm(const Module& module);

} // namespace fx::engine
