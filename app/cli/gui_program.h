// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <string>
#include <vector>

namespace app {

/// lancet-gui beside the running program, else the name for a search on PATH.
std::string guiProgram();

/// Becomes `lancet-gui ARGUMENTS`; returns only by throwing fx::Error when it cannot be started.
[[noreturn]] void becomeGui(const std::vector<std::string>& arguments);

/// Runs `lancet-gui ARGUMENTS` on the offscreen platform and waits for it. Throws fx::Error with what it said when it
/// fails, and kills it when a stop is requested.
void runGuiOffscreen(const std::vector<std::string>& arguments, const fx::Progress& progress);

} // namespace app
