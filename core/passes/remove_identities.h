// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// Removes calls that give what they get: detach and alias, nn.Identity, dropout that does nothing, conversions to the
/// dtype that the value has (as far as the graph's metadata says it), and clones that nobody needs.
Pass removeIdentitiesPass();

} // namespace fx
