// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace fx {

/// The computation and memory traffic of a node, derived from shapes alone.
///
/// An operation on two floats counts 1, a multiply-add 2. `matrixFlops` is the share of matrix products, convolutions
/// and attention, as in torch.utils.flop_counter. The rest of `flops` is an estimate by kind of operation (1 per
/// element for arithmetic, 8 for exp and similar, the window size for pooling). Bytes count every tensor that the node
/// reads, including parameters, and every tensor that it writes, once; of a table in which rows are looked up only as
/// much as is written. Views cost nothing.
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
    Kind kind = Kind::Unknown; ///< Unknown: shapes are missing, or the target is unknown
    double flops = 0, matrixFlops = 0;
    double bytesRead = 0, bytesWritten = 0;
    double bytes() const { return bytesRead + bytesWritten; }
};

/// Costs of a graph's nodes. Keeps references: model and shapes must outlive it. O(arguments) per node.
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
