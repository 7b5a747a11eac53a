// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// torch.ao `_qat_swap_modules`: layers with a QConfig become modules that quantise their weight while they train.
/// Throws Error{Refused} where torch.ao asserts.
void swapForQat(GraphModule& model, const BackendConfig& backend,
                const std::unordered_map<std::string, QConfigPtr>& qconfigs);

/// `to_float()` of such a module: the layer as it was, a normalisation folded in.
std::shared_ptr<Module> floatOfQat(const Module& module, const std::string& path);

} // namespace fx::quant
