// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

namespace fx {

/// Returns true if the graph takes its parameters as inputs, like an exported program.
bool isLifted(const GraphModule& model);

/// Converts an exported program to the form of `ExportedProgram.module()`. Parameters, buffers and constants become
/// attributes, `copy_` writes mutations back, and inputs and outputs are nested as at export (getitems unpack the
/// inputs). The graphs of higher-order operators become modules. Other models stay unchanged. Containers other than
/// tuple, list, dict or returned OrderedDict stay flat, with a warning. Throws Error{Refused} for inputs and outputs
/// that only an exported program has (tokens, custom objects, gradients). O(nodes).
GraphModule unlifted(const GraphModule& model);

/// Builds the nested result of an exported program from the values of its flat output. Returns nullopt if the file does
/// not describe the nesting or the graph was edited to return something else. Throws Error{Refused} for containers
/// other than tuple, list or dict.
std::optional<Argument> nestedOutput(const GraphModule& model, const std::vector<Argument>& leaves);

} // namespace fx
