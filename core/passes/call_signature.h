// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"
#include "core/ops/catalogue.h"

#include <optional>
#include <vector>

namespace fx {

/// The parameters of a called function or module, in order.
struct CallSignature {
    /// One parameter; without `defaultValue`, it is required.
    struct Parameter {
        std::string name;
        std::optional<std::string> defaultValue; ///< Python source text
        bool keywordOnly = false;
    };
    std::vector<Parameter> parameters;
};

/// Returns the signature that torch.fx's `normalize_function` and `normalize_module` use for a call: that of a Python
/// function, or that of the only matching overload of an operator or C function. Returns nullopt for variadic
/// functions, for operators with several matching overloads (torch.fx cannot choose without types), and for targets
/// without a signature. The first parameter of an operator overload is named `self`, as in Python; torch.fx writes
/// `input`, which the overloads reject.
std::optional<CallSignature> callSignature(PathResolver& paths, const Node& node);

/// Returns the overloads that accept the arguments of a call, in PyTorch's order, if there are several; else an empty
/// vector. In that case torch.fx's `normalize_function` raises unless the caller passes types.
std::vector<ops::Operator> ambiguousOverloads(const Node& node);

/// Mirrors `inspect.Signature.bind` with defaults applied: returns the value of each parameter, in order; nullopt
/// where Python raises a TypeError.
std::optional<Kwargs> bindArguments(const CallSignature& signature, const Node& node);

} // namespace fx
