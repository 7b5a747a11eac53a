// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <optional>

/// Layers that oneDNN and MKL run as one kernel with what follows them: found in any graph without running it, and run
/// by core/engine/onednn.
///
///       x ──▶ layer ──▶ add ──▶ activation        layer: convolution, transposed convolution, linear
///                        ▲                        add:   convolution and linear layers only
///       other ───────────┘                        activation after add: relu of convolutions only
namespace fx::onednn {

/// A convolution, a transposed one or a linear layer whose weights are tensors of the model.
struct Layer {
    enum class Kind : std::uint8_t { Convolution, Transposed, Linear };
    Kind kind = Kind::Linear;
    NodeId node = kNoNode;
    NodeId input = kNoNode;
    TensorPtr weight, bias;           ///< `bias` may be null
    std::string weightPath, biasPath; ///< in the module tree; empty if there is none
    /// One number per dimension; empty for linear layers.
    std::vector<std::int64_t> stride, padding, dilation, outputPadding;
    std::int64_t groups = 1;
};

/// An activation: ATen's name of it and its settings, in the order of ATen's operator.
struct Activation {
    std::string name;            ///< "relu", "hardtanh"
    std::string attribute;       ///< oneDNN's word in PyTorch: "relu", "hardtanh", "swish"
    std::vector<double> numbers; ///< of hardtanh and leaky_relu
    std::string algorithm;       ///< of gelu: "none" or "tanh"
};

/// A layer with the nodes that become one kernel with it.
struct FusedLayer {
    Layer layer;
    NodeId other = kNoNode; ///< what is added to the layer's value, or kNoNode
    std::optional<Activation> activation;
    std::vector<NodeId> nodes; ///< in graph order, the layer first; without tensors of the model

    NodeId result() const { return nodes.back(); }
};

/// Why a layer, or what follows one, stays as it is.
struct LeftOut {
    NodeId node = kNoNode;
    Message why;
};

/// All fused layers of a graph, each node in one at most, in graph order.
struct FusedLayers {
    std::vector<FusedLayer> layers;
    std::vector<LeftOut> leftOut;
};

/// Finds them. A group computes what its nodes do at the place of its last node: what lies between writes to none of
/// its inputs, and its nodes write to nothing outside. Linear.
FusedLayers findFusedLayers(const GraphModule& model);

/// The fused layer that a graph is as a whole, with its inputs as placeholders; nullopt for any other graph.
std::optional<FusedLayer> asFusedLayer(const GraphModule& model);

/// Whether a graph calls these nodes alone, on placeholders only, and returns the last of them.
bool isWholeGraph(const GraphModule& model, const std::vector<NodeId>& nodes, const std::vector<NodeId>& inputs);

/// The layer at a node, or nullopt; `why` is set where there is one that cannot be fused.
std::optional<Layer> layerAt(const GraphModule& model, PathResolver& paths, const Node& node,
                             std::optional<Message>& why);
/// The activation at a node, or nullopt.
std::optional<Activation> activationAt(PathResolver& paths, const Node& node);

/// A library that has packed kernels of linear layers; convolutions have those of oneDNN only. OnePass: Lancet's own
/// kernel of a fused norm (fused_norm.h).
enum class Kernel : std::uint8_t { OneDnn, Mkl, OnePass };
std::string_view kernelWord(Kernel kernel); ///< "onednn", "mkl", "one_pass"

/// The attribute by which a module (a GraphModule that is a fused layer or norm) says which kernel runs it.
inline constexpr std::string_view kKernelAttribute = "onednn_kernel";
std::optional<Kernel> kernelOf(const Module& module);

} // namespace fx::onednn
