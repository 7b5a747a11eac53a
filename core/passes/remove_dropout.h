// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// torch.fx `remove_dropout`: removes calls of nn.Dropout and their modules.
Pass removeDropoutPass();

} // namespace fx
