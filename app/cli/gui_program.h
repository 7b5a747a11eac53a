// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>
#include <vector>

namespace app {

/// Replaces this process by `lancet-gui ARGUMENTS`. Throws fx::Error if it cannot be started.
[[noreturn]] void becomeGui(const std::vector<std::string>& arguments);

/// Runs `lancet-gui ARGUMENTS` on the offscreen platform and waits for it. Throws fx::Error with its output if it
/// fails. Kills it when a stop is requested.
void runGuiOffscreen(const std::vector<std::string>& arguments, const fx::Progress& progress);

} // namespace app
