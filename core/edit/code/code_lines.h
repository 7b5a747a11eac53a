// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/code_writer.h"
#include "core/ir/graph.h"

#include <unordered_map>

namespace fx {

/// A statement without surrounding blanks and without the `;  x = None` that frees values.
std::string_view statementOf(std::string_view line);

/// The generated code of a graph, statement by statement.
class CodeLines {
public:
    explicit CodeLines(const Graph& graph);

    /// The line that defines the function.
    const std::string& head() const { return m_head; }
    /// The import lines that the code needs.
    std::string imports() const { return m_writer.globals.importBlock(); }
    /// The node of this statement, or kNoNode for inputs and other statements.
    NodeId nodeOf(std::string_view statement) const;
    /// The local variable of a node: a view that lives as long as this object and the graph.
    std::string_view nameOf(NodeId id) { return m_writer.globals.nodeName(id); }
    /// The node with this local variable, or kNoNode.
    NodeId named(std::string_view name) const;

private:
    CodeWriter m_writer;
    std::string m_head;
    std::unordered_map<std::string_view, NodeId> m_nodes, m_names;
};

} // namespace fx
