// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/diag/error.h"

namespace app {

/// `info` of a TorchScript file as far as it can be told without LibTorch: class, methods, tensors. `why`: the reason
/// why there is no graph, told as a warning.
int printScriptFacts(Session& session, const std::string& path, const fx::Error& why);

/// `info`: what became of the modules of torch.nn in a script. Empty for other models.
std::string leavesText(const fx::GraphModule& module);
void writeLeaves(fx::JsonWriter& json, const fx::GraphModule& module);

} // namespace app
