// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/message.h"

namespace app {

/// Opens the model, makes its inputs, runs it once. Throws fx::Error.
fx::remote::RunResult runModel(const fx::remote::RunRequest& request, const Context& context);

} // namespace app
