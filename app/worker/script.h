// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/script_message.h"

namespace app {

/// What a TorchScript file holds. LibTorch loads it, which a hostile file may not survive: here that ends the worker.
fx::remote::ScriptDescription describeScript(const std::string& path);
/// Runs its forward once. Throws fx::Error, also for a result that is a dict or an object of the script.
fx::remote::RunResult runScript(const fx::remote::RunRequest& request);

} // namespace app
