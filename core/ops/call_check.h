// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/graph.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Checks for calls that PyTorch 2.13.0 rejects whatever the values of their nodes: `torch.reluu(x)`,
/// `torch.nn.ReLU(x)`, `torch.clamp(x, 1, 2, 3, 4)`, `self.linear(x, 3)`. Patterns, steps and code all use these
/// checks.
namespace fx::ops {

/// Returns true for functions that are accepted although PyTorch lacks them, by qualified name: those that the model
/// calls.
using KnownFunction = std::function<bool(std::string_view qualifiedName)>;
/// Returns the class of the module at a path, "torch.nn.modules.batchnorm.BatchNorm2d"; empty if none exists.
using ClassOfModule = std::function<std::string(const std::string& path)>;

/// Returns why PyTorch rejects the call, with the nearest name as the hint; nullopt if it may accept the call or the
/// function is not PyTorch's. A node among the arguments stands for any value. With `classOf`, the check includes
/// modules of torch.nn and methods of their results. Takes microseconds. Thread-safe.
std::optional<Message> callProblem(const Graph& graph, const Node& node, const KnownFunction& isKnown = {},
                                   const ClassOfModule& classOf = {});

/// Returns true for a function whose name claims to be PyTorch's but is unknown: "torch.reluu", "torch.ops.aten.addd".
bool isMissingFromPyTorch(const Callable& callable);

/// Returns the PyTorch function nearest to a misspelt dotted name: "torch.nn.functional.relu6" for "torch.relu6". Empty
/// if no name is near. Takes milliseconds.
std::string nearestFunction(std::string_view dottedName);
/// Returns the nearest method of torch.Tensor likewise.
std::string nearestMethod(std::string_view name);

} // namespace fx::ops
