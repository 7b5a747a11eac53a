// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <set>

namespace fx {

/// The part of a graph that depends on no input: `split_const_subgraphs` of torch.fx, by its rules. Parameters, buffers
/// and constants that an exported program takes as inputs count as get_attr nodes, unless it writes to them.
class ConstantPart {
public:
    /// `skipped`: names of nodes that are not folded (`skip_folding_node_fn`).
    ConstantPart(const GraphModule& model, const std::vector<std::string>& skipped);

    /// The constant nodes that others use, in torch.fx's order: that of their first use. get_attr nodes are not among
    /// them. Empty if nothing can be folded.
    const std::vector<NodeId>& results() const { return m_results; }
    /// All constant nodes, get_attr nodes included, in graph order.
    const std::vector<NodeId>& nodes() const { return m_nodes; }
    /// Whether anything but get_attr nodes is constant.
    bool hasWork() const { return m_hasWork; }

    /// The constant nodes that `results` need, as a model without inputs that returns these: one as itself, or a tuple
    /// (always, if `asTuple`). Modules are shared.
    GraphModule extracted(const GraphModule& model, const std::vector<NodeId>& results, bool asTuple) const;

private:
    bool isConstant(NodeId id) const { return m_isConstant[index(id)]; }
    void findNodes(const GraphModule& model, const std::set<std::string>& skipped);
    void findResults(const Graph& graph);

    std::vector<NodeId> m_nodes, m_results;
    std::vector<bool> m_isConstant, m_isTensor; ///< by node id; tensors of the model itself
    std::unordered_map<NodeId, std::string> m_lifted;
    bool m_hasWork = false;
};

/// Whether the value of each node can require a gradient when it is computed from parameters that do; by node id.
std::vector<bool> gradientNodes(const GraphModule& model);

/// Erases nodes that were folded, last first, as far as nothing uses them, and the tensors and modules that nothing
/// names any more. Other dead code stays: torch.fx erases methods that write (`x.mul_(2)`) with it.
void eraseConstants(const PassRun& run, const std::vector<NodeId>& nodes);

} // namespace fx
