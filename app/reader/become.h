// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// Enters the sandbox and becomes another program in it: `lancet-reader --become RIGHTS PROGRAM ARGUMENTS...`. RIGHTS
/// is JSON: `{"read": [files and folders], "run": [programs], "largest_file": bytes, "parent": the process that
/// waits}`. The program gets a small environment and at most three quarters of the free memory, and ends with that
/// process. Returns an exit code if that fails, also if the kernel has no sandbox or that process has ended.
int become(int argc, char** argv);

} // namespace app
