// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"

namespace app {

/// `--show code|graph|tabular`: prints the model as it is in memory after the verb.
void declareShow(CLI::App& cli, std::string& show);
std::string shownText(const fx::GraphModule& module, const std::string& show);

} // namespace app
