// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/support_rules.h"

namespace app {

/// Reads RULES.json. Throws Error{File} that names the file, line and column.
fx::SupportRules readRules(const std::string& path);

} // namespace app
