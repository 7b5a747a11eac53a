// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

namespace fx {

/// Returns the paths of modules with forward hooks that the engine does not run; sorted.
std::vector<std::string> hookedModules(const GraphModule& model);

} // namespace fx
