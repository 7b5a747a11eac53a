// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"
#include "core/python/imports/place.h"

#include <unordered_map>
#include <vector>

namespace fx::python {

/// Gives the nodes that are recorded what torch.fx's tracer notes of them: `stack_trace`, the lines of the sources from
/// the outermost call to the innermost, and `nn_module_stack`. Nodes of the same lines and modules share their notes,
/// so that a loop of any length costs as much as its body.
class NodeNotes {
public:
    /// `outer`: how many calls were open when the trace began, which it does not show.
    explicit NodeNotes(Graph& graph, std::size_t outer = 0)
        : m_graph(graph), m_noted(graph.idLimit()), m_outer(outer) {}

    /// Nodes were recorded since the last `note`.
    bool isDue() const { return m_graph.idLimit() > m_noted; }
    /// Notes them as made at `here`, inside of `calls`, in these modules.
    void note(const std::vector<Place>& calls, const Place& here, const std::vector<ModuleFrame>& modules);

private:
    MetaPtr notesFor(const std::vector<Place>& calls, const Place& here, const std::vector<ModuleFrame>& modules);
    const std::string& lineText(const Place& place, std::string_view function);

    /// What a stack trace shows of a place, inside of this function.
    struct ShownLine {
        std::string function, text;
    };
    struct FileLines {
        std::vector<std::size_t> starts;                  ///< of its lines
        std::unordered_map<std::size_t, ShownLine> shown; ///< by offset
    };

    Graph& m_graph;
    std::size_t m_noted, m_outer;
    std::string m_key, m_shown; ///< of the notes that are put together; kept for their memory
    std::unordered_map<std::string, MetaPtr> m_known;
    std::unordered_map<const SourceFile*, FileLines> m_lines;
};

} // namespace fx::python
