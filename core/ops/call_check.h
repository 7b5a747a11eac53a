// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/ir/graph.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// Calls that PyTorch 2.13.0 refuses whatever values their nodes have: `torch.reluu(x)`, `torch.nn.ReLU(x)`,
/// `torch.clamp(x, 1, 2, 3, 4)`, `self.linear(x, 3)`. One check for everything that a user writes: patterns, steps and
/// code.
namespace fx::ops {

/// Functions that may be called although PyTorch does not have them, by qualified name: those that the model calls.
using KnownFunction = std::function<bool(std::string_view qualifiedName)>;
/// The class of the module at a path, "torch.nn.modules.batchnorm.BatchNorm2d"; empty if there is none.
using ClassOfModule = std::function<std::string(const std::string& path)>;

/// Why PyTorch refuses the call, with the nearest name as the hint; nullopt if it may accept it, which includes
/// everything that is not PyTorch's. A node among the arguments stands for any value. With `classOf`, calls of
/// torch.nn's modules and methods called on their results are judged, too. Some microseconds. Any thread.
std::optional<Message> callProblem(const Graph& graph, const Node& node, const KnownFunction& isKnown = {},
                                   const ClassOfModule& classOf = {});

/// A function that would be part of PyTorch, to go by its name, and is not: "torch.reluu", "torch.ops.aten.addd".
bool isMissingFromPyTorch(const Callable& callable);

/// The name in PyTorch's tables that a user may have meant by a dotted name: "torch.nn.functional.relu6" for
/// "torch.relu6"; empty if none is near. Milliseconds.
std::string nearestFunction(std::string_view dottedName);
/// The same for the name of a method of torch.Tensor.
std::string nearestMethod(std::string_view name);

} // namespace fx::ops
