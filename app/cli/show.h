// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"

namespace app {

/// Adds `--show code|graph|tabular`, which prints the model in memory after the verb.
void declareShow(CLI::App& cli, std::string& show);
/// Returns the text for a value of --show.
std::string shownText(const fx::GraphModule& module, const std::string& show);

} // namespace app
