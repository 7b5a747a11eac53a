// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <string_view>
#include <vector>

namespace fx {

/// An aspect in which a node, module or tensor differs from its counterpart.
enum class Aspect : std::uint8_t {
    Name,
    Op,
    Target,
    Args,
    KeywordArgs,
    Type,
    Users, ///< it has other users (in any order)
    Order, ///< its position differs; moving exactly these nodes makes the order equal
    Shape,
    Dtype,
    Module, ///< the module that it calls or reads: class, settings, mode or content
    Tensor, ///< the tensor that it reads, or one of its module's
    Class,
    Settings,
    Training, ///< of a module
    Graph,    ///< of a GraphModule inside the model
    Values,
    RequiresGrad, ///< of a tensor
    Sharing,      ///< of a tensor: at other paths the same tensor is found in one model only
};
/// The name in `lancet diff`: "args".
std::string_view aspectName(Aspect aspect);

/// A node of A that differs from its counterpart in B.
struct NodeChange {
    NodeId a = kNoNode, b = kNoNode;
    std::vector<Aspect> what;
};
/// A module or tensor in both trees that differs; `a` and `b` are its paths.
struct TreeChange {
    bool isTensor = false;
    std::string a, b;
    std::vector<Aspect> what;
};
/// A module, parameter, buffer, tensor or inner graph that exists in only one model. If a whole module is missing, only
/// the module is listed.
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

/// Options of `diffModels`.
struct DiffOptions {
    bool values = true; ///< compare tensor values bit for bit, which reads them
};

/// Compares two models, which need not be related: `Counterparts` matches their nodes. Shapes and dtypes are compared
/// where both models know them. Linear; values are read in blocks. Throws Error{File} if they cannot be read,
/// Error{Cancelled}.
ModelDiff diffModels(const GraphModule& a, const GraphModule& b, const DiffOptions& options = {},
                     const Progress& progress = {});

} // namespace fx
