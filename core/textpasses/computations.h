// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/values/value_tree.h"
#include "core/passes/tensor_engine.h"
#include "core/python/torch/tensor_machine.h"

#include <unordered_map>
#include <unordered_set>

namespace fx {

/// Records the tensor operations of a pass and runs them when a value is needed, at the latest when the pass ends. The
/// recorded program is a graph of all calls in order, so views and in-place writes behave as in PyTorch. Not
/// thread-safe.
class Computations final : public python::TensorMachine {
public:
    /// With `peeks`, weights have no values yet (isShapeOnly). A value that does not depend on weights is then
    /// computed separately, when it is requested; other requests throw ValuesNeeded. `engine` must outlive this
    /// object.
    explicit Computations(TensorEngine& engine, bool peeks = false) : m_engine(engine), m_peeks(peeks) {}
    /// Sets the tree whose tensors constant expressions ("self.scale * 2") read; the tree must not change.
    void readConstantsOf(std::shared_ptr<Module> model) { m_model = std::move(model); }

    /// Records a call that `guess` cannot answer. Runs the program if the shape of the result is unknown.
    trace::Value computed(const trace::ConstantCall& call, const std::function<trace::Value()>& guess) override;
    /// Gives a tensor its computed value, running the program if necessary. Does nothing with `peeks`.
    void settle(const TensorPtr& tensor) override;
    /// Returns a tensor with the value; throws ValuesNeeded if it depends on weights without values.
    TensorPtr valueOf(const TensorPtr& tensor) override;
    /// Runs what gives the tensor its strides, if necessary; with `peeks`, those are not known.
    bool liesInRows(const TensorPtr& tensor) override;
    /// Assigns `from` to `to`, as `to.data = from`.
    void assign(const TensorPtr& to, const TensorPtr& from) override;
    /// Makes two tensors of one storage share what is written to them.
    void share(const TensorPtr& to, const TensorPtr& from) override;
    /// Returns true if the program reads a tensor, or shares its memory in a way that `exchange` does not follow.
    bool isInUse(const TensorPtr& tensor) const override;
    /// Exchanges the storage of a tensor and of those that share it.
    void exchange(const TensorPtr& tensor, const std::shared_ptr<const Storage>& content) override;
    /// Runs the program so far and records a call of a module.
    trace::Value callModule(const std::shared_ptr<Module>& module, const trace::Values& args,
                            const trace::KeywordValues& kwargs) override;
    /// True if anything was recorded or computed.
    bool isUsed() const { return !m_results.empty(); }
    /// Runs the operations that tensors of `root` and those in `held` depend on, and gives these their values.
    void finish(const Module& root, const std::vector<TensorPtr>& held) override;
    void continueFrom(const TensorMachine& earlier) override;

private:
    struct Leaf {
        TensorPtr tensor;
        NodeId node;
        SharedMemory::BlockPtr block = {};   ///< whose whole `tensor` is; else null
        std::vector<TensorPtr> aliases = {}; ///< with the memory and sizes of `tensor`
    };
    struct Result {
        std::shared_ptr<const Storage> storage; ///< placeholder for the bytes until they are computed
        NodeId node;
        TensorPtr value; ///< null until computed
        /// Returns true if a tensor of Python waits for the bytes.
        bool isHeld() const { return storage.use_count() > 1; }
    };
    /// Tensors that one memory holds after a run.
    struct Held {
        std::vector<TensorPtr> values;
        Leaf* leaf = nullptr;
        TensorPtr now; ///< of the leaf
        bool hasSeveralLeaves = false;
    };
    NodeId nodeOf(const TensorPtr& tensor);
    NodeId leafOf(const TensorPtr& tensor, SharedMemory::BlockPtr block = {});
    bool isLeaf(const TensorPtr& tensor) const;
    bool isAsked(const Leaf& leaf) const;
    void takeLeaf(Leaf& leaf, const TensorRef& now);
    void tie(const Held& held);
    bool canTie(const Held& held) const;
    TensorPtr constantOf(const TensorRef& tensor);
    Argument argumentOf(const trace::Value& value);
    std::vector<Argument> argumentsOf(const trace::Values& values);
    Kwargs kwargsOf(const trace::KeywordValues& kwargs);
    NodeId record(const trace::ConstantCall& call);
    NodeId tried(const trace::ConstantCall& call);
    void undo(const Graph& before, std::size_t leaves);
    trace::Value drawn(const trace::ConstantCall& call, bool writes, const std::function<trace::Value()>& guess);
    ValueTree drawnApart(const trace::ConstantCall& call, bool writes);
    void write(const trace::Value& target, const TensorPtr& values);
    NodeId sendState();
    void takeState(const ValueTree& state);
    bool isTried();
    [[noreturn]] static void raise(const Error& error);
    void noteWrite(const trace::ConstantCall& call);
    void checkGeometry(const trace::ConstantCall& call, const trace::TensorValue& target) const;
    void takeGeometry(const TensorPtr& tensor);
    bool isView(const TensorRef& tensor) const;
    trace::Value promised(const trace::TensorValue& guess, NodeId node);
    std::optional<trace::Value> promised(const trace::Value& guess, NodeId node, std::string_view operation);
    trace::Value taken(const ValueTree& value);
    /// Runs the recorded program and returns the value of `last`, if given. `needed` lists the results to keep.
    using Needed = std::unordered_set<const Storage*>;
    ValueTree run(NodeId last = kNoNode, const Needed* needed = nullptr);
    void runPending();
    static NodeId copyLeaf(Graph& graph, NodeId leaf);
    /// Returns the values of nodes in a program with this structure.
    std::vector<ValueTree> valuesOf(GraphModule part, std::vector<NodeId> wanted);
    /// Returns the value of one node; the program stays unchanged.
    ValueTree peek(NodeId node);
    void updateTree(const Module& root);
    bool update(const TensorPtr& tensor);
    void forget();

    TensorEngine& m_engine;
    bool m_peeks;
    std::shared_ptr<Module> m_model; ///< tree before the pass; may be null
    GraphModule m_program;
    std::vector<Leaf> m_leaves;
    std::unordered_map<const TensorRef*, std::size_t> m_leafOf;
    std::unordered_map<const Storage*, Result> m_results; ///< includes results of earlier programs
    std::unordered_set<NodeId> m_views;                   ///< nodes of this program that may share memory
    /// Groups of results of earlier programs that shared memory; their copies do not.
    std::unordered_set<std::shared_ptr<const Storage>> m_shared;
    bool m_writes = false;
    bool m_isChecked = true; ///< true if this program is known not to fail
};

} // namespace fx
