// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/partition/support_rules.h"

namespace app {

/// Reads RULES.json. A profile that it names is determined in the worker, unless the cache has it for this worker's
/// library. Throws Error{File} with file, line and column.
fx::SupportRules readRules(const std::string& path, const Session& session);

} // namespace app
