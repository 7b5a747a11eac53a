// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Removes calls of nn.Dropout and their modules. Mirrors torch.fx's `remove_dropout`.
Pass removeDropoutPass();

} // namespace fx
