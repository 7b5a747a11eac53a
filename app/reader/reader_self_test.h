// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// Enters the sandbox, tries forbidden operations, and prints the results as JSON. Returns exit code 1 if one
/// succeeded. `lancet-worker --check` prints this with its own results.
int selfTest();

} // namespace app
