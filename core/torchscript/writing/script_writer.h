// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string>
#include <vector>

namespace fx::script {

/// A graph as the source of TorchScript methods. `torch.` and `ops.` denote operators, `math.` functions of numbers.
struct ScriptText {
    /// A method of a module: one that the graph calls, or the forward of a torch.nn module that it does not call.
    struct Method {
        std::string path; ///< path of the module
        std::string name; ///< "forward", "forward1" ...
        std::string source;
        std::string block;    ///< a block of script (`BlockText`) instead of `source`
        bool isExtra = false; ///< nothing calls it; omitted if it does not compile
    };
    std::vector<Method> methods;
    std::string forward; ///< forward of the root
};

/// Writes the graph of a model, and the forwards of its torch.nn modules, which identify their types when the script is
/// read. Each node becomes one line and its name the variable. Throws Error{Refused} with the node that TorchScript
/// cannot express.
ScriptText writeScript(const GraphModule& model);

} // namespace fx::script
