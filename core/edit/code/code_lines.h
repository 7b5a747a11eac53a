// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/code_writer.h"
#include "core/ir/graph.h"

#include <unordered_map>

namespace fx {

/// Returns a statement without surrounding blanks and without the `;  x = None` that frees values.
std::string_view statementOf(std::string_view line);

/// The generated code of a graph, statement by statement.
class CodeLines {
public:
    /// `graph` must outlive this object. Linear.
    explicit CodeLines(const Graph& graph);

    /// The line that defines the function.
    const std::string& head() const { return m_head; }
    /// Returns the import lines that the code needs.
    std::string imports() const { return m_writer.globals.importBlock(); }
    /// Returns the node of a statement, or kNoNode for inputs and other statements.
    NodeId nodeOf(std::string_view statement) const;
    /// Returns the local variable of a node. The view is valid as long as this object and the graph.
    std::string_view nameOf(NodeId id) { return m_writer.globals.nodeName(id); }
    /// Returns the node with this local variable, or kNoNode.
    NodeId named(std::string_view name) const;

private:
    CodeWriter m_writer;
    std::string m_head;
    std::unordered_map<std::string_view, NodeId> m_nodes, m_names;
};

} // namespace fx
