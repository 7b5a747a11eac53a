// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/dispatch.h"
#include "core/engine/interpreter.h"
#include "core/engine/kept_memory.h"
#include "core/engine/machine.h"
#include "core/engine/onednn/norm_kernel.h"
#include "core/engine/onednn/packed_layer.h"

#include <ATen/core/ivalue.h>

#include <unordered_map>

namespace fx::engine {

/// A decomposed argument of a node: a constant, the value of a node, or a container of these.
struct PlannedArgument {
    enum class Kind : std::uint8_t { Constant, Register, Composite } kind = Kind::Constant;
    Value constant;                      ///< Constant only
    std::uint32_t place = 0;             ///< index of the register; Register only
    const Argument* composite = nullptr; ///< Composite only
};

/// The kernel that a node called in its last run, with its stack. Constants stay in the stack; tensors come from
/// registers.
struct LearnedCall {
    const Kernel* kernel = nullptr; ///< never null
    ResultStyle style = ResultStyle::Binding;
    std::vector<c10::IValue> stack;                               ///< complete stack; entries in `dynamic` are replaced
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dynamic; ///< index in the stack, register
    std::vector<std::uint32_t> tensors;                           ///< registers that must contain tensors
};

/// A node of the graph, ready to run: the sources of its arguments and the register of its result.
struct PlannedStep {
    const Node* node = nullptr; ///< never null
    enum class Kind : std::uint8_t {
        Input,
        Constant,
        Function,
        Method,
        Module,
        Graph,
        HigherOrder,
        Output
    } kind = Kind::Function;
    std::uint32_t result = 0; ///< register
    std::vector<PlannedArgument> positional;
    std::vector<std::pair<std::string, PlannedArgument>> named;
    Value constant;                       ///< value of get_attr nodes and lifted inputs
    const Module* module = nullptr;       ///< Module only
    std::unique_ptr<Plan> graph;          ///< Graph only
    std::unique_ptr<PackedLayer> packed;  ///< for a Graph that is a fused layer
    std::unique_ptr<NormKernel> norm;     ///< for a Graph that is a fused norm
    std::vector<std::uint32_t> frees;     ///< registers that have no later use
    std::unique_ptr<LearnedCall> learned; ///< null until a kernel is learned
    bool learnable = true;                ///< false if its call depends on more than the kinds of its arguments
    std::int32_t input = -1;              ///< index among the user's inputs
};

/// The executable form of a graph.
class Plan {
public:
    /// `model` must outlive this object. O(nodes + edges).
    Plan(const GraphModule& model, std::shared_ptr<TensorStore> tensors);
    ~Plan();

    /// Placeholders that the user provides, in order.
    const std::vector<NodeId>& inputs() const { return m_inputs; }
    /// Runs all steps; see Interpreter::run and Interpreter::runFrom.
    Value run(const RunInputs& inputs, const RunHooks& hooks,
              const std::vector<std::pair<NodeId, Value>>* known = nullptr, const std::vector<NodeId>* keep = nullptr,
              std::vector<Value>* kept = nullptr);

    /// Runs the step at index `place`; returns null after the last one. `modes` are those left by the previous step.
    /// Used by SteppedRun.
    const Node* runStep(std::size_t place, const RunInputs& inputs, std::optional<Modes>& modes, Value& result);
    void release(); ///< forgets all values

private:
    friend class CallLearner;
    PlannedStep plan(const Node& node);
    void ownStates();
    void planFrees();
    void planGetAttr(PlannedStep& step);
    PlannedArgument planArgument(const Argument& argument);
    Value attribute(std::string_view path);

    Value execute(PlannedStep& step, const RunInputs& inputs);
    Value executeGraph(PlannedStep& step);
    Value executeSlow(PlannedStep& step);
    Value callGraph(const Value& graph, RunInputs inputs);
    Value callValue(Arguments arguments); ///< `__call__` of the first argument, which may be a module
    Value higherOrder(const PlannedStep& step, Arguments arguments);
    Value inputValue(const PlannedStep& step, const RunInputs& inputs) const;
    Arguments argumentsOf(const PlannedStep& step) const;
    Value valueOf(const PlannedArgument& argument) const;
    void skipUnneeded(std::vector<bool>& given, const std::vector<bool>& wanted) const;
    bool canLearn(const PlannedStep& step) const;
    Value callLearned(const LearnedCall& call) const;
    [[noreturn]] void rethrow(const PlannedStep& step) const;
    void tellFailure(const PlannedStep& step, const RunHooks& hooks) const;
    bool dependsOnOneOf(const PlannedStep& step, const std::vector<bool>& failed) const;

    const GraphModule& m_model;
    std::shared_ptr<TensorStore> m_tensors;
    PathResolver m_paths;
    std::vector<PlannedStep> m_steps;
    std::vector<Value> m_registers;
    std::vector<std::uint32_t> m_registerOf; ///< by node id
    std::vector<NodeId> m_inputs;
    std::unique_ptr<KeptMemory> m_memory; ///< set for graphs that are optimised for this processor
    bool m_keepsValues = false;           ///< true if the caller keeps values of this run
    /// Graphs that higher-order operators call.
    std::unordered_map<const GraphModule*, std::unique_ptr<Plan>> m_called;
};

} // namespace fx::engine
