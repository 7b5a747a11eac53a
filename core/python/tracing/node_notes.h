// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/python/imports/place.h"

#include <unordered_map>
#include <vector>

namespace fx::python {

/// Annotates recorded nodes like torch.fx's tracer: `stack_trace`, the source lines from the outermost call to the
/// innermost, and `nn_module_stack`. Nodes with the same lines and modules share their metadata, so a loop of any
/// length costs as much as its body.
class NodeNotes {
public:
    /// `outer` is the number of calls that were open when the trace began, which `stack_trace` omits.
    explicit NodeNotes(Graph& graph, std::size_t outer = 0)
        : m_graph(graph), m_noted(graph.idLimit()), m_outer(outer) {}

    /// Returns true if nodes were recorded since the last `note`.
    bool isDue() const { return m_graph.idLimit() > m_noted; }
    /// Annotates these nodes as created at `here`, inside `calls` and `modules`.
    void note(const std::vector<Place>& calls, const Place& here, const std::vector<ModuleFrame>& modules);

private:
    MetaPtr notesFor(const std::vector<Place>& calls, const Place& here, const std::vector<ModuleFrame>& modules);
    const std::string& lineText(const Place& place, std::string_view function);

    /// How a stack trace shows a line, inside `function`.
    struct ShownLine {
        std::string function, text;
    };
    struct FileLines {
        std::vector<std::size_t> starts;                  ///< offsets of the lines
        std::unordered_map<std::size_t, ShownLine> shown; ///< by offset
    };

    Graph& m_graph;
    std::size_t m_noted, m_outer;
    std::string m_key, m_shown; ///< buffers for the key and text of new metadata
    std::unordered_map<std::string, MetaPtr> m_known;
    std::unordered_map<const SourceFile*, FileLines> m_lines;
};

} // namespace fx::python
