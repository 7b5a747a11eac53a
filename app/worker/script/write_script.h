// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/save_script.h"

namespace app {

/// Compiles a model as TorchScript, saves it to the path of the request, loads that and, if inputs are given or can be
/// guessed, runs both and compares. Throws Error{Refused} for what TorchScript cannot express or does otherwise.
fx::remote::WrittenScript writeScriptFile(const fx::remote::WriteScriptRequest& request, const Context& context);

} // namespace app
