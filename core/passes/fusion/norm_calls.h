// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/fusion/folded_weights.h"
#include "core/passes/graph_tensors.h"

#include <optional>

namespace fx {

/// A node that is a convolution, a transposed one or a linear layer, as a module or a call in any spelling.
struct FoldableLayer {
    FoldableKind kind = FoldableKind::Convolution;
    NodeId node = kNoNode;
    std::int64_t groups = 1;
    int dimensions = 0;                              ///< of a convolution; 0 for linear layers
    const Module* module = nullptr;                  ///< null for a call
    NodeId weightNode = kNoNode, biasNode = kNoNode; ///< of a call
    TensorPtr weight, bias;                          ///< `bias` may be null
    bool isTorchFx = false;                          ///< torch.fx's `fuse` knows it: Conv1d to 3d and Linear
};

/// A node that is a batch normalisation in eval mode with statistics.
struct FoldableNorm {
    NodeId node = kNoNode;
    NodeId input = kNoNode;
    const Module* module = nullptr;  ///< null for a call
    int dimensions = 0;              ///< of BatchNorm1d to 3d; 0 for a call
    std::vector<NodeId> tensorNodes; ///< of a call: all that it reads
    NodeId biasNode = kNoNode;       ///< of a call
    bool isTuple = false;            ///< its result is the first item of a tuple
    bool isTraining = false;         ///< a module in training mode, which torch.fx refuses to fold
    NormTensors tensors;
};

/// Recognises both. Keeps references; the module tree must stay as it is. `modules`: what each node calls, by id, or
/// null.
class NormCalls {
public:
    NormCalls(const std::vector<const Module*>& modules, const GraphTensors& tensors)
        : m_modules(modules), m_tensors(tensors) {}

    std::optional<FoldableNorm> norm(const Node& node) const;
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
