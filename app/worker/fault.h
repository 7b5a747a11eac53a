// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace app {

/// What tests of the other side ask for with {"verb": "fault", "what": ...}: ways to die, to hang and to disturb.
/// Returns for those that a worker survives. `descriptor`: where messages go.
void fault(const std::string& json, int descriptor);

} // namespace app
