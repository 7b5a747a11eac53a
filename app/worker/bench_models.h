// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/bench_message.h"

namespace app {

/// Times the models of a request. Throws fx::Error with the failed model in `file`.
fx::timing::BenchResult benchModels(const fx::remote::BenchRequest& request, const Context& context);

} // namespace app
