// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Pieces of TorchScript source: literals, and calls of functions of torch in terms of TorchScript's operators.
namespace fx::script {

/// Arguments as source.
struct Terms {
    std::vector<std::string> positional;
    std::vector<std::pair<std::string, std::string>> named;
};

/// A literal of a script; nodes print as `node` says. Dtypes and the like are numbers there. Throws Error{Refused} for
/// values that a script does not have.
std::string literalTerm(const Argument& value, const std::function<std::string(NodeId)>& node);

/// `torch.relu(x)`: an operator of aten by its name, `function` being "torch.relu" or "ops.aten.relu". Numbers are
/// written as floats where the schema has floats.
std::string operatorTerm(const std::string& function, std::string_view kind, Terms terms);

/// A call of a function of torch or torch.nn.functional by its qualified name; empty if TorchScript has no words for
/// it.
std::string functionTerm(std::string_view qualifiedName, Terms terms);

/// The statements of a forward with these inputs, `return` included; empty if the class is unknown or its settings are.
/// `inputs`: parameters of the forward, or literals.
std::string moduleBody(const Module& module, const Terms& inputs);

} // namespace fx::script
