// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>

namespace ui {

/// Ends the process with `code` when that has not happened after `patience`, whatever its threads are doing: a task
/// that does not look at its stop request, memory that takes long to free, a worker that hangs. Child processes are
/// killed before. Destructors that have not run by then do not run: what must be on disk has to be there when this is
/// called.
void exitWithin(std::chrono::milliseconds patience, int code);

} // namespace ui
