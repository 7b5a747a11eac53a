// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/argument_json.h"
#include "core/edit/steps/step_files.h"

#include <set>
#include <string>

namespace fx {

/// A Python script under construction: imports, helper functions, and the body of the main function.
///
/// In the body, `node("relu")` is the node with that name, `graph` the graph and `gm` the GraphModule.
class PythonScript {
public:
    std::set<std::string> imports = {"import sys", "import torch"}; ///< whole lines
    FilePaths carried;     ///< files next to the script: paths in the steps, and paths from there
    std::string functions; ///< helper functions, defined before the main one
    std::string body;      ///< lines of the main function, indented

    /// Appends a line to the body.
    PythonScript& line(const std::string& text) { return body += "    " + text + "\n", *this; }

    /// Returns a value as source code; adds the imports that it needs.
    std::string value(const Argument& argument, const Graph& graph);
    /// Returns `(a, b)`.
    std::string arguments(const std::vector<Argument>& args, const Graph& graph) {
        return value(Argument::tuple(args), graph);
    }
    /// Returns `{"k": v}`.
    std::string keywords(const Kwargs& kwargs, const Graph& graph);
    /// Returns `k=v, l=w`, the arguments of a call.
    std::string callKeywords(const Kwargs& kwargs, const Graph& graph);
    /// Returns the expression for a function, class or operator; adds the imports that it needs.
    std::string callable(const Callable& callable);
    /// Returns the expression for a class of PyTorch: "torch.nn.Linear".
    std::string moduleClass(std::string_view type);

    /// Returns a Python string literal.
    static std::string quoted(std::string_view text);
    /// Returns the expression for the path of a file; the paths of carried files are relative to the script.
    std::string file(const std::string& path);
    /// Returns `node("relu")`.
    static std::string node(const Graph& graph, NodeId id) { return "node(" + quoted(graph.node(id).name()) + ")"; }

private:
    std::string items(const std::vector<Argument>& items, const Graph& graph);
};

} // namespace fx
