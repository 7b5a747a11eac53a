// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"
#include "core/ops/semantics.h"

#include <memory>
#include <unordered_map>

namespace fx {

/// What a node calls, whatever the spelling: "relu" of `torch.nn.functional.relu`, `torch.ops.aten.relu_.default` and
/// the method `relu`; of other nodes their target.
std::string canonicalName(const Node& node);

/// What is known of an argument without running anything.
ops::Given givenAs(const Argument& argument);

/// A module, or one below it, of PyTorch's classes that draw random numbers, in a mode in which it does.
bool drawsRandom(const Module& module);

/// What the nodes of a model do when they run, modules included: core/ops/semantics with the arguments that the nodes
/// give. Answers are for Lancet's own judgement (warnings, pipelines, safe passes); where torch.fx has a rule of its
/// own, core/module/purity follows that.
///
/// Keeps a reference to the module tree, which must not change meanwhile, and what it has looked up. Not thread-safe.
class CallSemantics {
public:
    explicit CallSemantics(const Module& root);
    ~CallSemantics();

    /// The values that a node writes to when it runs: `x.relu_()`, `torch.relu_(input=x)`, `x += y`, `out=x`, those
    /// that the schema of an operator marks as written, the input of a function or module with `inplace=True`, the
    /// running statistics of a batch normalisation in training. In order, each once.
    std::vector<NodeId> written(const Node& node) const;
    /// The values whose memory the result of a node may be, wholly or in part: those of views, of what it writes to,
    /// and of what is given back as it came in some cases (`x.float()`, dropout in eval mode). In order, each once; too
    /// many rather than too few, except that functions and classes of other packages are taken to give memory of their
    /// own.
    std::vector<NodeId> sharedMemory(const Node& node) const;
    /// Two runs may differ: dropout in training, `torch.rand`, modules of unknown classes.
    bool isRandom(const Node& node) const;
    /// It changes more than `written`: modules that update their buffers in training, asserts, switches of modes,
    /// modules of unknown classes.
    bool hasEffect(const Node& node) const;
    /// By node id: the value in whose memory each value lies, its own where it has memory of its own. Linear.
    std::vector<NodeId> memoryOf(const Graph& graph) const;

private:
    const ops::OperatorSemantics& semanticsOf(const Node& node) const;
    const Module* moduleOf(const Node& node) const;

    mutable PathResolver m_paths;
    mutable std::unordered_map<std::string, std::unique_ptr<const ops::OperatorSemantics>> m_functions, m_methods;
};

} // namespace fx
