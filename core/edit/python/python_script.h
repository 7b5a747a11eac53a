// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/argument_json.h"
#include "core/edit/steps/step_files.h"

#include <set>
#include <string>

namespace fx {

/// A Python script under construction: imports, helper functions, and the body of the main function.
///
/// In the body `node("relu")` is the node of that name, `graph` the graph and `gm` the GraphModule.
class PythonScript {
public:
    std::set<std::string> imports = {"import sys", "import torch"}; ///< whole lines
    FilePaths carried;                                              ///< beside the script
    std::string functions;                                          ///< defined before the main one
    std::string body;                                               ///< of the main one, indented

    /// Adds a line to the body.
    PythonScript& line(const std::string& text) { return body += "    " + text + "\n", *this; }

    /// A value as source; adds the imports that it needs.
    std::string value(const Argument& argument, const Graph& graph);
    /// `(a, b)` and `{"k": v}`.
    std::string arguments(const std::vector<Argument>& args, const Graph& graph) {
        return value(Argument::tuple(args), graph);
    }
    std::string keywords(const Kwargs& kwargs, const Graph& graph);
    /// `k=v, l=w`: the arguments of a call.
    std::string callKeywords(const Kwargs& kwargs, const Graph& graph);
    /// The name by which a script refers to a function, class or operator.
    std::string callable(const Callable& callable);
    /// A class of PyTorch: "torch.nn.Linear".
    std::string moduleClass(std::string_view type);

    static std::string quoted(std::string_view text);
    /// A path; of a file that is carried one from the place of the script.
    std::string file(const std::string& path);
    /// `node("relu")`
    static std::string node(const Graph& graph, NodeId id) { return "node(" + quoted(graph.node(id).name()) + ")"; }

private:
    std::string items(const std::vector<Argument>& items, const Graph& graph);
};

} // namespace fx
