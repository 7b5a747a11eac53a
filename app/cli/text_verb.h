// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/verb.h"

#include <string>

namespace fx {
class GraphModule;
}

namespace app {

/// Returns the text that a verb prints about a model.
using ModelText = std::string (*)(const fx::GraphModule& module);

/// Adds the arguments of a verb that only prints something about one model, and returns its action.
Action declareTextVerb(CLI::App& cli, ModelText text, ModelText json);

/// Adds the positional MODEL.
void declareModel(CLI::App& cli, std::string& model);

} // namespace app
