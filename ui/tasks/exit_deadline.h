// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>

namespace ui {

/// Ends the process with `code` if it still runs after `patience`, whatever its threads are doing: a task that ignores
/// its stop request, memory that takes long to free, a worker that hangs. Kills child processes first. Skips
/// destructors that have not run by then, so everything that must be on disk has to be there before this call.
void exitWithin(std::chrono::milliseconds patience, int code);

} // namespace ui
