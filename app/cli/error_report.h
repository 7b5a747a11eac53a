// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

namespace app {

/// What to do on the command line: `options` is that in terms of its options, if not empty.
std::string hintText(const std::string& hint, const std::string& options);

/// The exit code of a failure: 2 usage, 3 file, 4 refused, 5 run, 6 cancelled.
int exitCode(fx::ErrorKind kind);

/// Tells a failure: one line `lancet: error: ...` and indented detail on standard error; with `json` also
/// `{"error": {...}}` on standard output. Returns the exit code.
int reportError(const fx::Error& error, bool json);

} // namespace app
