// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/run_message.h"

namespace app {

/// Opens the model, creates its inputs, and runs it once. Throws fx::Error.
fx::remote::RunResult runModel(const fx::remote::RunRequest& request, const Context& context);

} // namespace app
