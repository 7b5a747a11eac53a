// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/values_message.h"

namespace app {

/// Runs the model, and the original, up to the node, unless it is the node of the last request.
fx::NodeValues nodeValues(const fx::remote::ValuesRequest& request, const Context& context);

} // namespace app
