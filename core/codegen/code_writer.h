// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/code_globals.h"

#include <string>
#include <vector>

namespace fx {

/// Writes the statements of one graph: torch.fx `_gen_python_code` without the surrounding function.
class CodeWriter {
public:
    /// With `frees`, each statement sets values to None after their last use, as torch.fx does.
    explicit CodeWriter(const Graph& graph, bool frees = true);

    /// Writes every node in graph order.
    void writeAll();
    /// Returns `def forward(self, x):`. Valid after writeAll().
    std::string head() const;

    std::string body;                    ///< statements without indentation, one or more lines per node
    std::vector<std::size_t> nodeStarts; ///< offset in `body` where the i-th node in graph order starts
    std::vector<std::string> parameters; ///< parameters of the def line as text
    std::string returnAnnotation;        ///< " -> T" or empty
    std::vector<std::string> wrapped;    ///< aliases to register with torch.fx.wrap
    /// The names used so far.
    CodeGlobals globals;

private:
    void writeNode(const Node& node);
    void writePlaceholder(const Node& node, const std::string& annotation);
    void writeFunction(const Node& node, const std::string& annotation);
    bool writeOperator(const Node& node, const std::string& annotation);
    void writeFormat(const Node& node, std::string_view format);
    void writeFrees(const Node& node);
    void writeValue(const Argument& argument, bool asRepr = false);
    void writeTupleClass(const Callable& type);
    void writeItems(const std::vector<Argument>& items, bool asRepr);
    void writeCallArgs(const Node& node, std::size_t from);
    /// Writes `base.atom.atom`, with getattr(base, "atom") for atoms that are not identifiers.
    template<class WriteBase> void writeTarget(WriteBase writeBase, std::string_view target);
    void writeName(const Node& node, const std::string& annotation); ///< `name : T = `
    std::string value(const Argument& argument);
    void collectLastUses();

    const Graph& m_graph;
    bool m_writesFrees;
    std::vector<std::uint32_t> m_freeStart; ///< by node id: start of its range in m_frees
    std::vector<NodeId> m_frees;            ///< values whose last user is the node, grouped by user
};

} // namespace fx
