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
    /// A method of a module that the graph calls.
    struct Method {
        std::string path; ///< of the module
        std::string name; ///< "forward", "forward1" ...
        std::string source;
        std::string block; ///< instead of `source`: a block of script (`BlockText`)
    };
    std::vector<Method> methods;
    std::string forward; ///< of the root
};

/// Writes the graph of a model and the forwards of the modules of torch.nn that it calls. Each node is one line, its
/// variable has the node's name. Throws Error{Refused} with the node that TorchScript has no words for.
ScriptText writeScript(const GraphModule& model);

} // namespace fx::script
