// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

/// Graphs with the topologies of well-known models, and odd ones, for tests and benchmarks of the layout.
namespace model_graphs {

using ModulePtr = std::shared_ptr<fx::GraphModule>;

/// Builds a GraphModule call by call, as a tracer would.
class Builder {
public:
    Builder() : module(std::make_shared<fx::GraphModule>()) {}                    ///< Starts with an empty graph.
    fx::NodeId input(const std::string& name);                                    ///< Adds a placeholder.
    fx::NodeId call(const std::string& path, fx::NodeId x);                       ///< Adds a call_module.
    fx::NodeId function(const std::string& name, std::vector<fx::Argument> args); ///< Adds a call_function.
    fx::NodeId method(const std::string& name, std::vector<fx::Argument> args);   ///< Adds a call_method.
    fx::NodeId attribute(const std::string& path);                                ///< Adds a get_attr.
    void output(fx::Argument value);                                              ///< Adds the output.
    /// Gives the module at `path` a class; creates the modules on the path.
    void type(const std::string& path, const std::string& className);
    fx::Graph& graph() { return module->graph; } ///< The graph so far.

    ModulePtr module; ///< the result
};

/// ResNet with BasicBlocks like torchvision's; 2 per layer is ResNet-18 (71 nodes).
ModulePtr resnet(int blocksPerLayer);
/// DenseNet like torchvision's; {6, 12, 24, 16} is DenseNet-121.
ModulePtr densenet(const std::vector<int>& layers);
/// Encoder and decoder with skips, concatenations and a shared pooling module.
ModulePtr unet(int depth);
/// Blocks of pre-norm attention; the mask feeds every layer.
ModulePtr transformer(int layers);
/// Parallel branches of different lengths, concatenated.
ModulePtr inception(int blocks);
/// A flat chain of functions.
ModulePtr chain(int nodes);
/// A flat graph in which each node uses one to three of the `reach` nodes before it.
ModulePtr randomDag(int nodes, int reach, unsigned seed);
/// One input, `width` parallel branches, one concatenation.
ModulePtr wide(int width);
/// `parts` graphs without edges between them.
ModulePtr disconnected(int parts);
/// An encoder that is called twice; its second call depends on other modules.
ModulePtr siamese();

} // namespace model_graphs
