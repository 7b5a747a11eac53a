// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"
#include "core/ops/semantics.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace fx {

/// Returns the canonical name of the function that a node calls: "relu" for `torch.nn.functional.relu`,
/// `torch.ops.aten.relu_.default` and the method `relu`. Other nodes return their target.
std::string canonicalName(const Node& node);

/// Classifies an argument as far as it is known without running anything.
ops::Given givenAs(const Argument& argument);

/// Returns true if the module or one below it is of a PyTorch class that draws random numbers, and is in a mode in
/// which it does.
bool drawsRandom(const Module& module);

/// The effects of the nodes of a model, including calls of modules: core/ops/semantics applied to the arguments of the
/// nodes. Lancet uses the answers for its own decisions (warnings, pipelines, safe passes). core/module/purity follows
/// the rules of torch.fx instead.
///
/// Keeps a reference to the module tree, which must not change, and caches its answers. Not thread-safe.
class CallSemantics {
public:
    explicit CallSemantics(const Module& root);
    ~CallSemantics();

    /// Returns the values that a node writes to: `x.relu_()`, `torch.relu_(input=x)`, `x += y`, `out=x`, arguments that
    /// the schema of an operator marks as written, the input of a function or module with `inplace=True`, and the
    /// running statistics of a batch normalisation in training. In order, without duplicates.
    std::vector<NodeId> written(const Node& node) const;
    /// Returns the values whose memory the result of a node may share, wholly or in part: bases of views, written
    /// values, and values that are returned unchanged in some cases (`x.float()`, dropout in eval mode). In order,
    /// without duplicates. The result is conservative, except that functions and classes of other packages are assumed
    /// to return new memory.
    std::vector<NodeId> sharedMemory(const Node& node) const;
    /// Returns true if two runs may differ: dropout in training, `torch.rand`, modules of unknown classes.
    bool isRandom(const Node& node) const;
    /// Returns true if the node changes more than `written`: modules that update their buffers in training, asserts,
    /// mode switches, modules of unknown classes.
    bool hasEffect(const Node& node) const;
    /// Returns the owner of the memory of each value, by node id; a value with separate memory owns it. Linear.
    std::vector<NodeId> memoryOf(const Graph& graph) const;
    /// Calls `visit` for each write of the nodes of a graph, in order, with the writer and the owner of the memory.
    /// Linear.
    void forEachWrite(const Graph& graph, const std::function<void(const Node& writer, NodeId owner)>& visit) const;

private:
    const ops::OperatorSemantics& semanticsOf(const Node& node) const;
    const Module* moduleOf(const Node& node) const;

    mutable PathResolver m_paths;
    mutable std::unordered_map<std::string, std::unique_ptr<const ops::OperatorSemantics>> m_functions, m_methods;
};

} // namespace fx
