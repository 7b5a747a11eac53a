// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

/// Layers that oneDNN and MKL run as one kernel together with the nodes after them. This library finds them in any
/// graph without running it; core/engine/onednn runs them.
///
///       x ──▶ layer ──▶ add ──▶ activation        layer: convolution, transposed convolution, linear
///                        ▲                        add:   convolution and linear layers only
///       other ───────────┘                        activation after add: relu of convolutions only
namespace fx::onednn {

/// A convolution, transposed convolution or linear layer whose weights are tensors of the model.
struct Layer {
    enum class Kind : std::uint8_t { Convolution, Transposed, Linear };
    Kind kind = Kind::Linear;
    NodeId node = kNoNode;
    NodeId input = kNoNode;           ///< the node whose value the layer processes
    TensorPtr weight, bias;           ///< `bias` may be null
    std::string weightPath, biasPath; ///< paths in the module tree; empty if the tensor has none
    /// One number per spatial dimension; empty for linear layers.
    std::vector<std::int64_t> stride, padding, dilation, outputPadding;
    std::int64_t groups = 1; ///< 1 for linear layers
};

/// An activation: its ATen name, and its settings in the order of the ATen operator.
struct Activation {
    std::string name;            ///< "relu", "hardtanh"
    std::string attribute;       ///< PyTorch's name for the oneDNN algorithm: "relu", "hardtanh", "swish"
    std::vector<double> numbers; ///< settings of hardtanh and leaky_relu
    std::string algorithm;       ///< gelu: "none" or "tanh"
};

/// A layer with the nodes that one kernel computes together with it.
struct FusedLayer {
    Layer layer;
    NodeId other = kNoNode;               ///< the node added to the layer's value, or kNoNode
    std::optional<Activation> activation; ///< the last node's activation, if any
    std::vector<NodeId> nodes;            ///< in graph order, layer first; excludes get_attr nodes

    /// The node whose value the kernel computes.
    NodeId result() const { return nodes.back(); }
};

/// The reason why a layer, or a node after one, is not fused.
struct LeftOut {
    NodeId node = kNoNode;
    Message why; ///< the reason
};

/// All fused layers of a graph, in graph order; a node is in at most one.
struct FusedLayers {
    std::vector<FusedLayer> layers;
    std::vector<LeftOut> leftOut;
};

/// Finds the fused layers of a graph. A fused layer is computed at the position of its last node, so nodes between its
/// nodes must not write to its inputs, and its nodes must not write to memory used outside. Linear.
FusedLayers findFusedLayers(const GraphModule& model);

/// Returns the fused layer that makes up a whole graph with its inputs as placeholders; nullopt for other graphs.
std::optional<FusedLayer> asFusedLayer(const GraphModule& model);

/// True if a graph consists of these calls, on placeholders only, and returns the last of them.
bool isWholeGraph(const GraphModule& model, const std::vector<NodeId>& nodes, const std::vector<NodeId>& inputs);

/// Returns the layer at a node, or nullopt; `why` is set if there is a layer that cannot be fused.
std::optional<Layer> layerAt(const GraphModule& model, PathResolver& paths, const Node& node,
                             std::optional<Message>& why);
/// Returns the activation at a node, or nullopt.
std::optional<Activation> activationAt(PathResolver& paths, const Node& node);

/// A library with packed kernels for linear layers; convolutions only have oneDNN's. OnePass is Lancet's own kernel
/// for a fused norm (fused_norm.h).
enum class Kernel : std::uint8_t { OneDnn, Mkl, OnePass };
std::string_view kernelWord(Kernel kernel); ///< "onednn", "mkl", "one_pass"

/// The attribute of a module (a GraphModule that is a fused layer or norm) that names its kernel.
inline constexpr std::string_view kKernelAttribute = "onednn_kernel";
/// Returns the kernel that the attribute of a module names; nullopt without one.
std::optional<Kernel> kernelOf(const Module& module);

} // namespace fx::onednn
