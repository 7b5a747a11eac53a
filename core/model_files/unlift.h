// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// Whether the graph of a model takes its parameters as inputs, as that of an exported program does.
bool isLifted(const GraphModule& model);

/// An exported program as the module that its user called (`ExportedProgram.module()`): parameters, buffers and
/// constants are attributes, what it changes is written back by `copy_`, inputs and outputs nest as when it was
/// exported (inputs are taken apart by getitems). The graphs of higher-order operators are modules. Other models as
/// they are. A container that is no tuple, list, dict or, when it is returned, OrderedDict stays flat, with a warning.
/// Throws Error{Refused} for inputs and outputs that only an exported program has (tokens, custom objects, gradients).
/// O(nodes).
GraphModule unlifted(const GraphModule& model);

/// What an exported program returns, from the values of its flat output that the user gets; none when the file does not
/// tell, or the graph was edited to return something else. Throws Error{Refused} for containers that are no tuple, list
/// or dict.
std::optional<Argument> nestedOutput(const GraphModule& model, const std::vector<Argument>& leaves);

} // namespace fx
