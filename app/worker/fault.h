// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>

namespace app {

/// Runs a fault for tests of the client, {"verb": "fault", "what": ...}: ways to die, to hang and to disturb. {"what":
/// "read" or "write", "path"} throws Error{Refused} if the file cannot be opened. Returns from faults that a worker
/// survives. `descriptor` is the channel of messages.
void fault(const std::string& json, int descriptor);

} // namespace app
