// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// Whether the graph of a model takes its parameters as inputs, like an exported program.
bool isLifted(const GraphModule& model);

/// An exported program in the form of `ExportedProgram.module()`: parameters, buffers and constants are attributes,
/// changes are written back by `copy_`, and inputs and outputs are nested as when it was exported (inputs are unpacked
/// by getitems). The graphs of higher-order operators are modules. Other models are unchanged. A container other than
/// tuple, list, dict or returned OrderedDict stays flat, with a warning. Throws Error{Refused} for inputs and outputs
/// that only an exported program has (tokens, custom objects, gradients). O(nodes).
GraphModule unlifted(const GraphModule& model);

/// The nested result of an exported program, built from the values of its flat output; nullopt if the file does not
/// describe it or the graph was edited to return something else. Throws Error{Refused} for containers other than tuple,
/// list or dict.
std::optional<Argument> nestedOutput(const GraphModule& model, const std::vector<Argument>& leaves);

} // namespace fx
