// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Fragments of TorchScript source: literals, and functions of torch as calls of TorchScript's operators.
namespace fx::script {

/// Arguments as source text.
struct Terms {
    std::vector<std::string> positional;
    std::vector<std::pair<std::string, std::string>> named;
};

/// Returns a literal of a script. `node` prints nodes. Dtypes and the like are numbers in scripts. Throws
/// Error{Refused} for values that a script cannot contain.
std::string literalTerm(const Argument& value, const std::function<std::string(NodeId)>& node);

/// Returns a call of an aten operator: `torch.relu(x)`. `function` is "torch.relu" or "ops.aten.relu". Writes numbers
/// as floats where the schema has floats.
std::string operatorTerm(const std::string& function, std::string_view kind, Terms terms);

/// Returns a call of a function of torch or torch.nn.functional by its qualified name; empty if TorchScript cannot
/// express it.
std::string functionTerm(std::string_view qualifiedName, Terms terms);

/// Returns the statements of a forward with these inputs, including `return`; empty for unknown classes or settings.
/// `inputs` are parameters of the forward, or literals.
std::string moduleBody(const Module& module, const Terms& inputs);

} // namespace fx::script
