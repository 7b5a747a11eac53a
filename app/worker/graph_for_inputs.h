// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/message.h"

namespace app {

/// The model of a request, or another graph of the same TorchScript file: the one with every branch, where the given
/// inputs are not the defaults that decided branches. The file takes them, so its graph does, too.
fx::remote::ModelRef graphForInputs(const fx::remote::ModelRef& model, const fx::remote::RunRequest& given,
                                    const Context& context);

} // namespace app
