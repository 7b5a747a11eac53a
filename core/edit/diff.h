// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <string_view>
#include <vector>

namespace fx {

/// In what a node, module or tensor differs from its counterpart.
enum class Aspect : std::uint8_t {
    Name,
    Op,
    Target,
    Args,
    KeywordArgs,
    Type,
    Users, ///< other nodes use it (in whatever order)
    Order, ///< it stands elsewhere: moving these nodes, and no others, makes the order the same
    Shape,
    Dtype,
    Module, ///< the module that it calls or reads: class, settings, mode, or what is inside
    Tensor, ///< the tensor that it reads, or one of its module's
    Class,
    Settings,
    Training, ///< of a module
    Graph,    ///< of a GraphModule inside the model
    Values,
    RequiresGrad, ///< of a tensor
};
/// The word that `lancet diff` has for it: "args".
std::string_view aspectName(Aspect aspect);

/// A node of A and its counterpart in B that differs from it.
struct NodeChange {
    NodeId a = kNoNode, b = kNoNode;
    std::vector<Aspect> what;
};
/// A module or tensor that is in both trees; `a` and `b` are its paths.
struct TreeChange {
    bool isTensor = false;
    std::string a, b;
    std::vector<Aspect> what;
};
/// A module, parameter, buffer, tensor or inner graph that only one of the models has; of a module that goes with all
/// that is in it, only the module.
struct TreeOrphan {
    bool inA = false;
    std::string_view kind; ///< "module", "parameter", "buffer", "tensor", "graph"
    std::string path;
};

/// How two models differ.
struct ModelDiff {
    std::vector<NodeId> counterparts; ///< by node id of A: the node of B, or kNoNode
    std::vector<NodeId> added;        ///< nodes of B, in B's order
    std::vector<NodeId> removed;      ///< nodes of A, in A's order
    std::vector<NodeChange> changed;  ///< in A's order
    std::vector<TreeChange> tree;     ///< modules, then tensors
    std::vector<TreeOrphan> orphans;

    bool equal() const {
        return added.empty() && removed.empty() && changed.empty() && tree.empty() && orphans.empty();
    }
};

/// What `diffModels` looks at.
struct DiffOptions {
    bool values = true; ///< compare the values of tensors bit for bit, which reads them
};

/// Compares two models, also ones that know nothing of each other: `Counterparts` tells which node is which. Shapes and
/// dtypes count where both models know them. Linear; values are read in blocks. Throws Error{File} when they cannot be,
/// Error{Cancelled}.
ModelDiff diffModels(const GraphModule& a, const GraphModule& b, const DiffOptions& options = {},
                     const Progress& progress = {});

} // namespace fx
