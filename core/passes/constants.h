// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <set>

namespace fx {

/// The nodes of a graph that depend on no input, by the rules of torch.fx's `split_const_subgraphs`. Lifted
/// parameters, buffers and constants of an exported program count as get_attr nodes unless the program writes to them.
class ConstantPart {
public:
    /// `skipped` lists names of nodes that are not folded (`skip_folding_node_fn`). O(nodes).
    ConstantPart(const GraphModule& model, const std::vector<std::string>& skipped);

    /// Constant nodes with users outside the constant part, in torch.fx's order: by first use. Excludes get_attr
    /// nodes. Empty if nothing can be folded.
    const std::vector<NodeId>& results() const { return m_results; }
    /// All constant nodes, including get_attr nodes, in graph order.
    const std::vector<NodeId>& nodes() const { return m_nodes; }
    /// True if a node other than get_attr is constant.
    bool hasWork() const { return m_hasWork; }

    /// Returns the constant nodes needed by `results` as a model without inputs. The model returns a single result as
    /// it is, and several, or any number with `asTuple`, as a tuple. Modules are shared.
    GraphModule extracted(const GraphModule& model, const std::vector<NodeId>& results, bool asTuple) const;

private:
    bool isConstant(NodeId id) const { return m_isConstant[index(id)]; }
    void findNodes(const GraphModule& model, const std::set<std::string>& skipped);
    void findResults(const Graph& graph);

    std::vector<NodeId> m_nodes, m_results;
    std::vector<bool> m_isConstant, m_isTensor; ///< by node id; `m_isTensor` marks tensors of the model
    std::unordered_map<NodeId, std::string> m_lifted;
    bool m_hasWork = false;
};

/// Returns, by node id, whether a node's value can require a gradient because it is computed from parameters that do.
std::vector<bool> gradientNodes(const GraphModule& model);

/// Erases folded nodes without users, last first, and the tensors and modules that no node refers to afterwards. Keeps
/// other dead code, whereas torch.fx also erases methods that write (`x.mul_(2)`).
void eraseConstants(const PassRun& run, const std::vector<NodeId>& nodes);

} // namespace fx
