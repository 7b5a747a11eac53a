// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/run_message.h"

#include <exception>
#include <string>
#include <vector>

namespace torch::jit {
struct Module;
}

namespace app {

/// Loads a file with LibTorch; a hostile file may end the worker here. `missing` gets the names of operators without a
/// library, which prevent running. Throws Error{File}.
torch::jit::Module loadScript(const std::string& path, std::vector<std::string>* missing = nullptr);
/// Returns LibTorch's message without its C++ stack.
std::string scriptReason(const std::exception& error);
/// Runs `forward` once. Throws fx::Error, also if the result is an object of the script.
fx::remote::RunResult runScript(const fx::remote::RunRequest& request);

} // namespace app
