// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

/// Normalisation by fixed statistics together with its neighbours, which becomes one pass over memory where values are
/// channels_last; run by core/engine/onednn. PyTorch reads and writes the values once for each node.
///
///       part, part, ... ──▶ cat ──▶ batch norm ──▶ relu        with cat, relu or both
namespace fx::onednn {

/// A batch norm with its `cat`, its relu or both.
struct FusedNorm {
    NodeId norm = kNoNode;
    std::vector<NodeId> parts;              ///< joined along dimension 1; the same value can come twice
    TensorPtr mean, variance, weight, bias; ///< `weight` and `bias` may be null; float32
    double eps = 0;
    bool relu = false;
    std::vector<NodeId> nodes; ///< in graph order

    NodeId result() const { return nodes.back(); }
};

/// All of them, in graph order; what lies between the nodes of one writes to none of its inputs. Linear.
std::vector<FusedNorm> findFusedNorms(const GraphModule& model);

/// The one that a graph is as a whole, with its inputs as placeholders; nullopt for any other graph.
std::optional<FusedNorm> asFusedNorm(const GraphModule& model);

} // namespace fx::onednn
