// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <string>

namespace fx {

/// Returns true if the module is an observer or a FakeQuantize of torch.ao.
bool isTorchAoObserver(const Module& module);

/// Returns the constructor arguments that recreate an observer or FakeQuantize of torch.ao with its current range. They
/// omit `reduce_range` if the range is given, because it would halve the limits again. A FakeQuantize gets the class of
/// its observer and the arguments of the observer.
std::string observerArguments(const Module& module);

/// Returns the `qconfig` with which a layer for quantisation-aware training creates its `weight_fake_quant`.
std::string qconfigSource(const Module& weightFakeQuant);

} // namespace fx
