// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/passes/tensor_engine.h"
#include "core/python/tensor_machine.h"

#include <unordered_map>
#include <unordered_set>

namespace fx {

/// What a pass computes with tensors, as a program that runs when a value is needed, at the latest at the end: a graph
/// of all calls in their order, so that views and writes in place mean what they mean in PyTorch. Not thread-safe.
class Computations final : public python::TensorMachine {
public:
    explicit Computations(TensorEngine& engine) : m_engine(engine) {}

    trace::Value computed(const trace::ConstantCall& call, const std::function<trace::Value()>& guess) override;
    void settle(const TensorPtr& tensor) override;
    void assign(const TensorPtr& to, const TensorPtr& from) override;
    trace::Value callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                            const trace::KeywordValues& kwargs) override;
    /// Whether anything was computed, or is to be.
    bool isUsed() const { return !m_results.empty(); }
    /// Gives the tensors of the tree their values; nothing else is computed any more.
    void finish(const Module& root);

private:
    struct Leaf {
        TensorPtr tensor;
        NodeId node;
    };
    struct Result {
        std::shared_ptr<const Storage> storage; ///< stands for the bytes until they are there
        NodeId node;
        TensorPtr value; ///< once computed
    };
    NodeId nodeOf(const TensorPtr& tensor);
    Argument argumentOf(const trace::Value& value);
    std::vector<Argument> argumentsOf(const trace::Values& values);
    Kwargs kwargsOf(const trace::KeywordValues& kwargs);
    NodeId record(const trace::ConstantCall& call);
    void noteWrite(const trace::ConstantCall& call);
    trace::Value promised(const trace::TensorValue& guess, NodeId node);
    std::optional<trace::Value> promised(const trace::Value& guess, NodeId node, std::string_view operation);
    trace::Value taken(const ValueTree& value) const;
    /// Runs what was recorded; the value of `last`, if it is given, is returned. `needed`: the results that matter.
    using Needed = std::unordered_set<const Storage*>;
    ValueTree run(NodeId last = kNoNode, const Needed* needed = nullptr);
    void updateTree(const Module& root) const;
    bool update(TensorRef& tensor) const;
    void forget();

    TensorEngine& m_engine;
    GraphModule m_program;
    std::vector<Leaf> m_leaves;
    std::unordered_map<const TensorRef*, std::size_t> m_leafOf;
    std::unordered_map<const Storage*, Result> m_results; ///< also of former programs
    std::unordered_set<NodeId> m_views;                   ///< of this program: what may share memory
    /// Of former programs: what shared memory then. The copies no longer do.
    std::unordered_set<std::shared_ptr<const Storage>> m_shared;
    bool m_writes = false;
};

} // namespace fx
