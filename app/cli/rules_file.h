// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/partition/support_rules.h"

namespace app {

/// Reads RULES.json. A profile that it names is found in the worker, unless the cache has it from this worker's
/// library. Throws Error{File} that names the file, line and column.
fx::SupportRules readRules(const std::string& path, const fx::Progress& progress = {});

} // namespace app
