// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/value.h"

#include <functional>

namespace fx::engine {

/// Runs a graph that was passed to a higher-order operator.
using CallGraph = std::function<Value(const Value& graph, Values operands)>;
/// A higher-order operator (torch.ops.higher_order.cond) in terms of calls of its graphs.
using HigherOrderForm = Value (*)(const CallGraph& call, const Arguments& arguments);

/// Finds a form by name ("cond"), or returns null.
HigherOrderForm higherOrderForm(std::string_view name);

} // namespace fx::engine
