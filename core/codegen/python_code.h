// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string>
#include <vector>

namespace fx {

/// The generated code of a graph, with the positions of the nodes.
struct PythonCode {
    std::string text;              ///< `GraphModule.code`, byte for byte as in torch.fx 2.13
    std::string imports;           ///< import block of a saved file: sorted, without a final newline
    std::vector<NodeId> lineNodes; ///< the node of line i (0-based) of `text`, or kNoNode
    /// 0-based line of each node, by node id; -1 if the node has no line. Placeholders are on the def line.
    std::vector<std::int32_t> nodeLines;
};

/// Generates `forward` of a graph (torch.fx `Graph.python_code("self")`). Throws Error{Refused} with the node name
/// where torch.fx raises (too few operands of an infix operator). Linear.
PythonCode generatePython(const Graph& graph);

} // namespace fx
