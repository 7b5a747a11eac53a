// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/shapes/node_shapes.h"

#include <cstdint>

namespace fx {

/// The computation and memory traffic of a node, derived from shapes alone.
///
/// An operation on two floats counts 1, a multiply-add 2. `matrixFlops` is the share of matrix products, convolutions
/// and attention, as in torch.utils.flop_counter. The rest of `flops` is an estimate by kind of operation (1 per
/// element for arithmetic, 8 for exp and similar, the window size for pooling). Bytes count every tensor that the node
/// reads, including parameters, and every tensor that it writes, once. A table lookup reads only as much as it writes.
/// Views cost nothing.
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
    Kind kind = Kind::Unknown;              ///< Unknown if shapes are missing or the target is unknown
    double flops = 0, matrixFlops = 0;      ///< all FLOPs, and those of matrix products
    double bytesRead = 0, bytesWritten = 0; ///< memory traffic
    double bytes() const { return bytesRead + bytesWritten; } ///< total traffic
};

/// Computes the costs of the nodes of a graph. Keeps references: model and shapes must outlive it. O(arguments) per
/// node.
class CostModel {
public:
    CostModel(const GraphModule& model, const NodeShapes& shapes);
    /// Returns the cost of a node of the model.
    NodeCost of(const Node& node);

private:
    friend struct CostCall;
    const std::vector<ValueInfo>* infos(NodeId id) const;

    PathResolver m_paths;
    std::vector<const std::vector<ValueInfo>*> m_infos; ///< by node id
};

} // namespace fx
