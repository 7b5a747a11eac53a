// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <string>

namespace fx {

/// Whether the module is an observer or a FakeQuantize of torch.ao.
bool isTorchAoObserver(const Module& module);

/// The arguments that make an observer or FakeQuantize of torch.ao again, with its range as it is: given both,
/// `reduce_range` would halve the limits once more. A FakeQuantize names the class of its observer and what that takes.
std::string observerArguments(const Module& module);

/// The `qconfig` that a layer for quantisation-aware training needs to make its `weight_fake_quant`.
std::string qconfigSource(const Module& weightFakeQuant);

} // namespace fx
