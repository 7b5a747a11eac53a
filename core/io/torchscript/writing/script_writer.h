// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>
#include <string_view>
#include <vector>

namespace fx::script {

/// A graph as the source of TorchScript methods. `torch.` and `ops.` lead to operators, `math.` to functions of
/// numbers.
struct ScriptText {
    /// A method of a module: what the graph calls, or the forward of one of torch.nn that it does not call.
    struct Method {
        std::string path; ///< of the module
        std::string name; ///< "forward", "forward1" ...
        std::string source;
        std::string block;    ///< instead of `source`: a block of script (`BlockText`)
        bool isExtra = false; ///< nothing calls it: left out if it does not compile
    };
    std::vector<Method> methods;
    std::string forward; ///< of the root
};

/// Writes the graph of a model and the forwards of its modules of torch.nn, by which their types are known when the
/// script is read. Each node is one line, its variable has the node's name. Throws Error{Refused} with the node that
/// TorchScript has no words for.
ScriptText writeScript(const GraphModule& model);

} // namespace fx::script
