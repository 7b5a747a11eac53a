// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx {

/// The names of one generated function: nodes and the globals it needs share one namespace, and whoever is printed first
/// keeps the name (torch.fx `_Namespace` and `add_global` in `_gen_python_code`).
class CodeGlobals {
public:
    explicit CodeGlobals(const Graph& graph);

    /// The local variable of a node.
    const std::string& nodeName(NodeId id) {
        const std::string& known = m_nodeNames[index(id)];
        return known.empty() ? nameNode(id) : known;
    }
    /// How code refers to a callable: its qualified name for torch's own, else an imported alias.
    std::string callableName(const Callable& callable);
    /// The same with another wish for the alias: enum classes are called by their bare name.
    std::string callableName(const Callable& callable, std::string_view hint);
    /// How code spells a type annotation.
    std::string typeName(const TypeExpr& type);
    /// The import block of a saved file: sorted lines without a final newline.
    std::string importBlock() const;

private:
    const std::string& nameNode(NodeId id);
    std::string global(std::string_view hint, const std::string& module, const std::string& name);

    const Graph& m_graph;
    Namespace m_names;
    std::vector<std::string> m_nodeNames;                           ///< by node id
    std::unordered_map<std::string, std::string> m_globals;         ///< "module.name" of the object -> alias
    std::map<std::string, std::string> m_imports;                   ///< alias -> import line
};

} // namespace fx
