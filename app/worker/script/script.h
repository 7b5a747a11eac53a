// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/message.h"

#include <exception>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace app {

/// LibTorch loads the file, which a hostile one may not survive: here that ends the worker. `missing`: gets the names
/// of operators that no library has, so that it cannot run. Throws Error{File}.
torch::jit::Module loadScript(const std::string& path, std::vector<std::string>* missing = nullptr);
/// LibTorch's message without its C++ stack.
std::string scriptReason(const std::exception& error);
/// Runs its forward once. Throws fx::Error, also for a result that is an object of the script.
fx::remote::RunResult runScript(const fx::remote::RunRequest& request);

} // namespace app
