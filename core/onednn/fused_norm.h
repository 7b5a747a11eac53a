// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

/// Normalisation by fixed statistics, fused with its neighbours into one pass over memory for channels_last values;
/// core/engine/onednn runs it. PyTorch reads and writes the values once for each node.
///
///       part, part, ... ──▶ cat ──▶ batch norm ──▶ relu        with cat, relu or both
namespace fx::onednn {

/// A batch norm with a preceding `cat`, a following relu, or both.
struct FusedNorm {
    NodeId norm = kNoNode;                  ///< the batch norm
    std::vector<NodeId> parts;              ///< inputs of `cat`, concatenated along dimension 1; may contain duplicates
    TensorPtr mean, variance, weight, bias; ///< `weight` and `bias` may be null; float32
    double eps = 0;
    bool relu = false;         ///< a relu follows
    std::vector<NodeId> nodes; ///< in graph order

    /// The node whose value the kernel computes.
    NodeId result() const { return nodes.back(); }
};

/// Finds the fused norms of a graph, in graph order. Nodes between the nodes of one do not write to its inputs.
/// Linear.
std::vector<FusedNorm> findFusedNorms(const GraphModule& model);

/// Returns the fused norm that makes up a whole graph with its inputs as placeholders; nullopt for other graphs.
std::optional<FusedNorm> asFusedNorm(const GraphModule& model);

} // namespace fx::onednn
