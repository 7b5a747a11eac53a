// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// Returns the forward of a layer for quantisation-aware training (torch.ao.nn.qat and torch.ao.nn.intrinsic.qat), or
/// null for other classes. The forward passes the weight through `weight_fake_quant`, and applies the layer's
/// normalisation and ReLU.
ModuleForm qatForm(const Module& module);

} // namespace fx::engine
