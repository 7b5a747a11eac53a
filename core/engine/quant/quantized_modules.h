// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Returns the forward of a quantised module of torch.ao (`torch.ao.nn.quantized`, `.quantized.dynamic`,
/// `.quantized.reference`, `torch.ao.nn.intrinsic.quantized`), or null for other classes.
ModuleForm quantizedForm(const Module& module);

/// Returns the object that a module stands for (`isScriptObject`), as an argument of `torch.ops.quantized.linear` and
/// similar operators; weights are packed once.
Value packedParams(const Module& module, TensorStore& tensors);

} // namespace fx::engine
