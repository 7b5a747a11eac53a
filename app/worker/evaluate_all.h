// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/evaluate.h"

namespace app {

/// Computes the tensors of expressions. Throws Error{Run} with the text of an expression that cannot be computed.
std::vector<fx::TensorPtr> evaluateAll(const fx::remote::EvaluateRequest& request, const Context& context);

} // namespace app
