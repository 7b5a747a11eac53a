// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `remove_dropout`: calls of nn.Dropout go, and their modules.
Pass removeDropoutPass();

} // namespace fx
