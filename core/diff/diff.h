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
    Type,  ///< its annotation; tensors in files: device, layout, or whether it is a parameter or a view
    Users, ///< its set of users differs (in any order)
    Order, ///< its position differs; moving exactly these nodes makes the order equal. Modules: that of its members
    Shape,
    Dtype,
    Module, ///< the module that it calls or reads differs in class, settings, mode or content
    Tensor, ///< the tensor that it reads, or one of its module's, differs
    Class,
    Settings,
    Training, ///< modules
    Graph,    ///< GraphModules inside the model
    Values,
    RequiresGrad, ///< tensors
    Sharing,      ///< tensors: other paths of the same tensor exist in one model only
    Attributes,   ///< modules: plain attributes that are not constructor settings
    Hooks,        ///< modules: forward hooks of one model only
    Persistence,  ///< modules: buffers that only one model saves
};
/// Returns the name in `lancet diff`: "args".
std::string_view aspectName(Aspect aspect);

/// A node of A that differs from its counterpart in B.
struct NodeChange {
    NodeId a = kNoNode, b = kNoNode;
    std::vector<Aspect> what; ///< at least one
};
/// A module or tensor that differs between the trees; `a` and `b` are its paths.
struct TreeChange {
    bool isTensor = false;    ///< a tensor, not a module
    std::string a, b;         ///< may differ if counterpart nodes use different paths
    std::vector<Aspect> what; ///< at least one
};
/// A module, parameter, buffer, tensor or inner graph that exists in only one model. A missing module is listed
/// without its contents.
struct TreeOrphan {
    bool inA = false;      ///< exists in A, not in B
    std::string_view kind; ///< "module", "parameter", "buffer", "tensor", "graph"
    std::string path;
};

/// The differences between two models.
struct ModelDiff {
    std::vector<NodeId> counterparts; ///< by node id of A: the node of B, or kNoNode
    std::vector<NodeId> added;        ///< nodes of B, in B's order
    std::vector<NodeId> removed;      ///< nodes of A, in A's order
    std::vector<NodeChange> changed;  ///< in A's order
    std::vector<TreeChange> tree;     ///< modules, then tensors
    std::vector<TreeOrphan> orphans;

    /// True if there are no differences.
    bool equal() const {
        return added.empty() && removed.empty() && changed.empty() && tree.empty() && orphans.empty();
    }
};

/// The differences that count.
enum class DiffScope : std::uint8_t {
    Models,      ///< those in meaning
    Files,       ///< those in anything that a file has to keep: nodes by position, members of modules in order, all
                 ///< attributes, same objects
    TensorFiles, ///< the same for formats that store tensors by path, and no modules (.pt2)
};

/// Options of `diffModels`.
struct DiffOptions {
    bool values = true; ///< compare tensor values bit for bit, which reads them from their files
    DiffScope scope = DiffScope::Models;
    bool unreadableDiffers = false; ///< values that cannot be read differ, which is no error
};

/// Compares two models, which need not be related; `Counterparts` matches their nodes. Shapes and dtypes are compared
/// where both models have them. Linear; values are read in blocks. Throws Error{File} if they cannot be read,
/// Error{Cancelled}.
ModelDiff diffModels(const GraphModule& a, const GraphModule& b, const DiffOptions& options = {},
                     const Progress& progress = {});

} // namespace fx
