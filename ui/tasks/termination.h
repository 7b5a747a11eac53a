// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ui {

/// The exit code of a window that a signal ended, equal to that of a cancelled verb.
constexpr int kTerminated = 6;

/// Makes SIGTERM, SIGINT and SIGHUP end the event loop with `kTerminated`, so that the program shuts down in order and
/// removes its temporary files. A second signal, or two seconds without an answer from the event loop, end the process
/// at once. Call it once, after creating the application.
void endOnSignals();

} // namespace ui
