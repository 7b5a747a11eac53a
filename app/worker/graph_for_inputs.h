// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/run_message.h"

namespace app {

/// Returns the model of a request, or another graph of the same TorchScript file: the one with all branches if the
/// given inputs differ from the defaults that decided the branches. The file accepts these inputs, so its graph must,
/// too.
fx::remote::ModelRef graphForInputs(const fx::remote::ModelRef& model, const fx::remote::RunRequest& given,
                                    const Context& context);

} // namespace app
