// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"
#include "core/ops/catalogue.h"

#include <optional>
#include <vector>

namespace fx {

/// The parameters of a called function or module.
struct CallSignature {
    struct Parameter {
        std::string name;
        std::optional<std::string> defaultValue; ///< Python text
        bool keywordOnly = false;
    };
    std::vector<Parameter> parameters;
};

/// The signature that torch.fx `normalize_function` and `normalize_module` use for a call: that of a Python function,
/// or that of the only matching overload of an operator or C function. nullopt for variadic functions, for operators
/// with several matching overloads (torch.fx cannot choose without types), and for targets without a signature.
/// Operator overloads call their first argument `self`, as in Python; torch.fx writes `input`, which they reject.
std::optional<CallSignature> callSignature(PathResolver& paths, const Node& node);

/// The overloads that take the arguments of a call of a function, where there are several: torch.fx
/// `normalize_function` raises then unless the caller gives types. In the order in which PyTorch has them; empty
/// otherwise.
std::vector<ops::Operator> ambiguousOverloads(const Node& node);

/// `inspect.Signature.bind` with the defaults applied: each parameter's value, in order; nullopt where Python raises a
/// TypeError.
std::optional<Kwargs> bindArguments(const CallSignature& signature, const Node& node);

} // namespace fx
