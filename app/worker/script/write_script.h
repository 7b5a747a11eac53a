// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/save_script.h"

namespace app {

/// Compiles a model as TorchScript and sends the file in Part frames. Throws Error{Refused} for models that TorchScript
/// cannot express.
void writeScriptFile(const fx::remote::RunRequest& request, const Context& context);
/// Loads the file that the client passes and, if inputs are given or can be guessed, runs it and the model and compares
/// the outputs. Throws Error{Refused} if they differ.
fx::remote::CheckedScript checkScriptFile(const fx::remote::RunRequest& request, const Context& context);

} // namespace app
