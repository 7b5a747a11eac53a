// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <optional>

namespace fx {

/// The parameters of what a node calls.
struct CallSignature {
    struct Parameter {
        std::string name;
        std::optional<std::string> defaultValue; ///< Python text
        bool keywordOnly = false;
    };
    std::vector<Parameter> parameters;
};

/// The one signature that torch.fx `normalize_function` and `normalize_module` find for a call: of a Python function
/// its own; of an operator or C function that of the only overload that takes these arguments. Nothing for functions
/// that take any number of arguments, for operators of which several overloads fit (torch.fx cannot choose without
/// types), and for what has no signature. Operator overloads call their first argument `self`, as they do in Python;
/// torch.fx writes `input`, which they refuse.
std::optional<CallSignature> callSignature(PathResolver& paths, const Node& node);

/// `inspect.Signature.bind` with the defaults applied: each parameter's value, in order; nothing where Python raises a
/// TypeError.
std::optional<Kwargs> bindArguments(const CallSignature& signature, const Node& node);

} // namespace fx
