// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace fx {

/// Runs a program found in PATH, writes `input` to its standard input and returns its output. Returns nullopt if the
/// program is missing, fails, prints more than 16 MB, or exceeds `limit`. Kills and reaps it after a timeout or a stop
/// request.
std::optional<std::string> runFilter(const std::vector<std::string>& command, const std::string& input,
                                     std::chrono::milliseconds limit, const Progress& progress = {});

} // namespace fx
