// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/code_names.h"
#include "core/ir/graph.h"

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx {

/// The names in a generated function. Nodes and the globals that it needs share one namespace, and the first one
/// printed keeps the name (torch.fx `_Namespace` and `add_global` in `_gen_python_code`).
///
/// Node names are unique, so they are used directly until one collides with a global. Only then all names printed so
/// far are entered into a Namespace, which numbers names as torch.fx does.
class CodeGlobals {
public:
    explicit CodeGlobals(const Graph& graph);

    /// Returns the local variable of a node.
    const std::string& nodeName(NodeId id) {
        const std::string* known = m_nodeNames[index(id)];
        return known ? *known : nameNode(id);
    }
    /// Returns the name of a callable in the code: its qualified name if it is torch's, else an imported alias.
    const std::string& callableName(const Callable& callable) {
        const auto known = m_callables.find(&callable);
        return known != m_callables.end() ? *known->second : callableName(callable, callable.qualifiedName);
    }
    /// Returns the name of a callable with another preferred alias; enum classes use their bare name.
    const std::string& callableName(const Callable& callable, std::string_view hint);
    /// Returns the text of a type annotation.
    std::string typeName(const TypeExpr& type);
    /// Declares names that a printed value calls; the code must not define any of them.
    void leaveUndefined(const std::vector<std::string>& names) {
        for (const std::string& name : names) m_undefined.emplace(name, writing);
    }
    NodeId writing = kNoNode; ///< the node whose statement is being written
    /// Throws Error{Refused} with the node if the code defines a name that must stay undefined. Call it after writing
    /// the whole graph.
    void checkUndefined() const;
    /// Records the class of a named tuple.
    void callTupleClass(const std::string& name) { m_tupleClasses.emplace(name, writing); }
    /// Takes the names that the code uses. Call it once, after writing the whole graph.
    CodeNames takeNames();
    /// Returns the import block of a saved file: sorted lines without a final newline.
    std::string importBlock() const;

private:
    const std::string& nameNode(NodeId id);
    /// `path` tells objects of one name apart; empty for the name.
    const std::string& global(std::string_view hint, const std::string& module, const std::string& name,
                              std::string_view path = {});
    std::string textType(const std::string& text);
    void numberAll();

    const Graph& m_graph;
    Namespace m_names; ///< globals, and nodes once m_numbered is set
    bool m_numbered;
    std::vector<const std::string*> m_nodeNames;            ///< by node id
    std::vector<NodeId> m_printed;                          ///< nodes in the order in which they were first printed
    std::deque<std::string> m_renamed;                      ///< names that differ from the node's own
    std::unordered_map<std::string, std::string> m_globals; ///< from the path of the object to its alias
    std::unordered_map<const Callable*, const std::string*> m_callables;
    std::map<std::string, std::string> m_imports; ///< alias -> import line
    std::vector<CodeGlobal> m_used;               ///< globals beside those of every graph
    std::map<std::string, NodeId> m_tupleClasses; ///< classes of named tuples, and the first node of each
    std::map<std::string, NodeId> m_undefined;    ///< names that printed values call, and the first node that does
};

} // namespace fx
