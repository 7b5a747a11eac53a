// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/run_value.h"

#include <functional>

namespace fx::engine {

/// Runs a graph operand of a higher-order operator.
using CallGraph = std::function<Value(const Value& graph, Values operands)>;
/// Implements a higher-order operator (torch.ops.higher_order.cond) in terms of calls of its graphs.
using HigherOrderForm = Value (*)(const CallGraph& call, const Arguments& arguments);

/// Finds a form by name ("cond"); null if none exists.
HigherOrderForm higherOrderForm(std::string_view name);

} // namespace fx::engine
