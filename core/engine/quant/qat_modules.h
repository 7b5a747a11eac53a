// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

namespace fx::engine {

/// The forward of a layer for quantisation-aware training (torch.ao.nn.qat and torch.ao.nn.intrinsic.qat): the layer
/// with its weight through `weight_fake_quant`, and its normalisation and ReLU. Null for other classes.
ModuleForm qatForm(const Module& module);

} // namespace fx::engine
