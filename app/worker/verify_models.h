// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/verify_message.h"

namespace app {

/// Runs both models on the inputs and compares the outputs. Throws fx::Error.
fx::VerifyReport verifyModels(const fx::remote::VerifyRequest& request, const Context& context);
/// Runs the probes that can decide an inconclusive `verifyModels`. Throws fx::Error.
std::vector<fx::Probe> probeModels(const fx::remote::VerifyRequest& request, const Context& context);

} // namespace app
