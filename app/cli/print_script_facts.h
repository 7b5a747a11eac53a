// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/diag/error.h"

namespace app {

/// Runs `info` for a TorchScript file as far as possible without LibTorch: class, methods, tensors. `why` is the reason
/// why there is no graph, reported as a warning. Returns the exit code.
int printScriptFacts(Session& session, const std::string& path, const fx::Error& why);

/// Returns how the torch.nn modules of a script were recognised, for `info`. Empty for other models.
std::string leavesText(const fx::GraphModule& module);
void writeLeaves(fx::JsonWriter& json, const fx::GraphModule& module); ///< Writes the same as a JSON member.

} // namespace app
