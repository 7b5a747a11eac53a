// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/fusion/folded_weights.h"
#include "core/passes/graph_tensors.h"

#include <optional>

namespace fx {

/// A convolution, transposed convolution or linear layer, as a module or as a call in any spelling.
struct FoldableLayer {
    FoldableKind kind = FoldableKind::Convolution;
    NodeId node = kNoNode;
    std::int64_t groups = 1;                         ///< of a convolution
    int dimensions = 0;                              ///< spatial dimensions of a convolution; 0 for linear layers
    const Module* module = nullptr;                  ///< null for a call
    NodeId weightNode = kNoNode, biasNode = kNoNode; ///< calls only
    TensorPtr weight, bias;                          ///< `bias` may be null
    bool isTorchFx = false;                          ///< supported by torch.fx's `fuse`: Conv1d to 3d and Linear
};

/// A batch normalisation in eval mode that has statistics.
struct FoldableNorm {
    NodeId node = kNoNode;
    NodeId input = kNoNode;          ///< the value that is normalised
    const Module* module = nullptr;  ///< null for a call
    int dimensions = 0;              ///< 1 to 3 for BatchNorm1d to 3d; 0 for a call
    std::vector<NodeId> tensorNodes; ///< calls only: all tensor arguments
    NodeId biasNode = kNoNode;       ///< calls only
    bool isTuple = false;            ///< the call returns a tuple whose first item is the result
    bool isTraining = false;         ///< a module in training mode, which torch.fx refuses to fold
    NormTensors tensors;
};

/// Recognises foldable layers and norms. Keeps references to its arguments; the module tree must not change. `modules`
/// holds the module that each node calls, by node id, or null.
class NormCalls {
public:
    NormCalls(const std::vector<const Module*>& modules, const GraphTensors& tensors)
        : m_modules(modules), m_tensors(tensors) {}

    /// Returns the batch normalisation that `node` is, or nullopt.
    std::optional<FoldableNorm> norm(const Node& node) const;
    /// Returns the layer that `node` is, or nullopt.
    std::optional<FoldableLayer> layer(const Node& node) const;

private:
    std::optional<FoldableNorm> normModule(const Node& node, const Module& module) const;
    std::optional<FoldableNorm> normCall(const Node& node) const;
    std::optional<FoldableLayer> layerModule(const Node& node, const Module& module) const;
    std::optional<FoldableLayer> layerCall(const Node& node) const;

    const std::vector<const Module*>& m_modules;
    const GraphTensors& m_tensors;
};

} // namespace fx
