// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx {

/// The names of one generated function: nodes and the globals it needs share one namespace, and the first one printed
/// keeps the name (torch.fx `_Namespace` and `add_global` in `_gen_python_code`).
///
/// Node names are unique, so they are used directly until one collides with a global. Only then are all names printed
/// so far entered into a Namespace, which numbers like torch.fx.
class CodeGlobals {
public:
    explicit CodeGlobals(const Graph& graph);

    /// The local variable of a node.
    const std::string& nodeName(NodeId id) {
        const std::string* known = m_nodeNames[index(id)];
        return known ? *known : nameNode(id);
    }
    /// How code refers to a callable: its qualified name for torch's own, else an imported alias.
    const std::string& callableName(const Callable& callable) {
        const auto known = m_callables.find(&callable);
        return known != m_callables.end() ? *known->second : callableName(callable, callable.qualifiedName);
    }
    /// The same with a different preferred alias: enum classes use their bare name.
    const std::string& callableName(const Callable& callable, std::string_view hint);
    /// How code spells a type annotation.
    std::string typeName(const TypeExpr& type);
    /// The import block of a saved file: sorted lines, without a final newline.
    std::string importBlock() const;

private:
    const std::string& nameNode(NodeId id);
    const std::string& global(std::string_view hint, const std::string& module, const std::string& name);
    std::string textType(const std::string& text);
    void numberAll();

    const Graph& m_graph;
    Namespace m_names; ///< globals, and nodes once m_numbered is set
    bool m_numbered;
    std::vector<const std::string*> m_nodeNames;            ///< by node id
    std::vector<NodeId> m_printed;                          ///< nodes in the order in which they were first printed
    std::deque<std::string> m_renamed;                      ///< names that differ from the node's own
    std::unordered_map<std::string, std::string> m_globals; ///< "module.name" of the object -> alias
    std::unordered_map<const Callable*, const std::string*> m_callables;
    std::map<std::string, std::string> m_imports; ///< alias -> import line
};

} // namespace fx
