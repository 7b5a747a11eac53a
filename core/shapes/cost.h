// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace fx {

/// What a node has to compute and to move, from shapes alone.
///
/// An operation on two floats counts 1, a multiply-add 2. `matrixFlops` is the part in matrix products, convolutions
/// and attention: what torch.utils.flop_counter counts. The rest of `flops` is an estimate by kind of operation (1 an
/// element for arithmetic, 8 for exp and the like, the window for pooling). Bytes: every tensor that the node reads,
/// parameters included, and every one it writes once; views and other nodes that touch no element cost nothing.
struct NodeCost {
    enum class Kind : std::uint8_t {
        Unknown,
        Free,
        Elementwise,
        Reduction,
        Normalization,
        Pooling,
        Memory,
        Matrix,
        Convolution,
        Attention,
        Recurrent
    };
    Kind kind = Kind::Unknown; ///< Unknown: shapes are missing, or nothing is known of what it calls
    double flops = 0, matrixFlops = 0;
    double bytesRead = 0, bytesWritten = 0;
    double bytes() const { return bytesRead + bytesWritten; }
};

/// Costs of a graph's nodes. Keeps references: model and shapes must outlive it. O(arguments) a node.
class CostModel {
public:
    CostModel(const GraphModule& model, const NodeShapes& shapes);
    NodeCost of(const Node& node);

private:
    friend struct CostCall;
    const std::vector<ValueInfo>* infos(NodeId id) const;

    PathResolver m_paths;
    std::vector<const std::vector<ValueInfo>*> m_infos; ///< by node id
};

} // namespace fx
