// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/prepare.h"

namespace fx::quant {

/// Mirrors torch.ao's `_qat_swap_modules`: replaces layers that have a QConfig by modules that quantise their weight
/// during training. Throws Error{Refused} where torch.ao asserts.
void swapForQat(GraphModule& model, const BackendConfig& backend,
                const std::unordered_map<std::string, QConfigPtr>& qconfigs);

/// Returns the float layer of a QAT module, with the normalisation folded in. Mirrors `to_float()`.
std::shared_ptr<Module> floatOfQat(const Module& module, const std::string& path);

} // namespace fx::quant
