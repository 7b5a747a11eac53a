// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <string_view>

namespace app {

/// Returns the remedy for the command line: `options`, which refers to its options, else `hint`.
std::string hintText(const std::string& hint, const std::string& options);

/// Returns a text on one line, truncated if its length can only come from a file.
std::string shownLine(std::string_view text);

/// Returns the exit code of a failure: 2 usage, 3 file, 4 refused, 5 run, 6 cancelled.
int exitCode(fx::ErrorKind kind);

/// Reports a failure: one line `lancet: error: ...` and indented details on standard error; with `json` also `{"error":
/// {...}}` on standard output. Returns the exit code.
int reportError(const fx::Error& error, bool json);

} // namespace app
