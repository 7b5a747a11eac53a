// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Removes calls that return their input: `detach` and `alias`, nn.Identity, inactive dropout, conversions to the
/// dtype that the value has (if the graph's metadata has it), and unneeded clones.
Pass removeIdentitiesPass();

} // namespace fx
