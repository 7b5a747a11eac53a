// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// Implements `lancet-worker --check`: enters the sandbox in a child process, tries there to write, connect, fork,
/// execute and read a file that was not given, reads one that was given, and computes with LibTorch. Prints the results
/// as JSON (docs/cli/run.md). Returns exit code 0 if the sandbox holds and lets models run, else 1.
int selfTest();

} // namespace app
