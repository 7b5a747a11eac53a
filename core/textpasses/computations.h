// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/passes/tensor_engine.h"
#include "core/python/torch/tensor_machine.h"

#include <unordered_map>
#include <unordered_set>

namespace fx {

/// What a pass computes with tensors, as a program that runs when a value is needed, at the latest at the end: a graph
/// of all calls in their order, so that views and writes in place mean what they mean in PyTorch. Not thread-safe.
class Computations final : public python::TensorMachine {
public:
    /// `peeks`: weights have no values yet (isShapeOnly). A value that does not depend on them is computed when it is
    /// asked for, beside the program; for others ValuesNeeded is thrown.
    explicit Computations(TensorEngine& engine, bool peeks = false) : m_engine(engine), m_peeks(peeks) {}
    /// Constants that are expressions ("self.scale * 2") read the tensors of this tree, which must not change.
    void readConstantsOf(std::shared_ptr<Module> model) { m_model = std::move(model); }

    trace::Value computed(const trace::ConstantCall& call, const std::function<trace::Value()>& guess) override;
    void settle(const TensorPtr& tensor) override;
    TensorPtr valueOf(const TensorPtr& tensor) override;
    void assign(const TensorPtr& to, const TensorPtr& from) override;
    trace::Value callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                            const trace::KeywordValues& kwargs) override;
    /// Whether anything was computed, or is to be.
    bool isUsed() const { return !m_results.empty(); }
    void finish(const Module& root) override;

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
    TensorPtr constantOf(const TensorRef& tensor);
    Argument argumentOf(const trace::Value& value);
    std::vector<Argument> argumentsOf(const trace::Values& values);
    Kwargs kwargsOf(const trace::KeywordValues& kwargs);
    NodeId record(const trace::ConstantCall& call);
    NodeId tried(const trace::ConstantCall& call);
    trace::Value drawn(const trace::ConstantCall& call, bool writes, const std::function<trace::Value()>& guess);
    void sendState();
    void takeState(const ValueTree& state);
    bool isTried();
    [[noreturn]] static void raise(const Error& error);
    void noteWrite(const trace::ConstantCall& call);
    trace::Value promised(const trace::TensorValue& guess, NodeId node);
    std::optional<trace::Value> promised(const trace::Value& guess, NodeId node, std::string_view operation);
    trace::Value taken(const ValueTree& value) const;
    /// Runs what was recorded; the value of `last`, if it is given, is returned. `needed`: the results that matter.
    using Needed = std::unordered_set<const Storage*>;
    ValueTree run(NodeId last = kNoNode, const Needed* needed = nullptr);
    void runPending();
    static NodeId copyLeaf(Graph& graph, NodeId leaf);
    /// The values of nodes of a program like this one.
    std::vector<ValueTree> valuesOf(GraphModule part, std::vector<NodeId> wanted);
    /// The value of a node alone; the program stays as it is.
    ValueTree peek(NodeId node);
    void updateTree(const Module& root) const;
    bool update(TensorRef& tensor) const;
    void forget();

    TensorEngine& m_engine;
    bool m_peeks;
    std::shared_ptr<Module> m_model; ///< as it was before the pass; null: none
    GraphModule m_program;
    std::vector<Leaf> m_leaves;
    std::unordered_map<const TensorRef*, std::size_t> m_leafOf;
    std::unordered_map<const Storage*, Result> m_results; ///< also of former programs
    std::unordered_set<NodeId> m_views;                   ///< of this program: what may share memory
    /// Of former programs: what shared memory then. The copies no longer do.
    std::unordered_set<std::shared_ptr<const Storage>> m_shared;
    bool m_writes = false;
    bool m_isChecked = true; ///< whether all of this program is known not to fail
};

} // namespace fx
