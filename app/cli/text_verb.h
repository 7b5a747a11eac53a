// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/verb.h"

#include <string>

namespace fx {
class GraphModule;
}

namespace app {

/// Returns the text that a verb prints about a model, without a final newline.
using ModelText = std::string (*)(const fx::GraphModule& module);

/// Adds the arguments of a verb that only prints something about one model, and returns its action. Python
/// source is opened with the shapes of its weights only. The text is written as it is (`Session::printExact`): unless
/// it must equal torch.fx's byte for byte, `text` passes names through `fx::visibleName`.
Action declareTextVerb(CLI::App& cli, ModelText text, ModelText json);

/// Adds the positional MODEL.
void declareModel(CLI::App& cli, std::string& model);

} // namespace app
