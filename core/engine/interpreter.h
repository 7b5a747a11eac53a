// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/module/graph_module.h"

#include <functional>
#include <memory>

namespace fx::engine {

class Plan;

/// Callbacks for each node of a run. Empty callbacks cost nothing.
struct RunHooks {
    std::function<void(const Node& node)> before;                     ///< called before each node
    std::function<void(const Node& node, const Value& result)> after; ///< called after each node, with its value
    /// If set, a failing node does not end the run: the node and its dependents are skipped, and this is called.
    std::function<void(const Node& node, const fx::Error& error)> failed = {};
    bool gradients =
        false; ///< record gradients like PyTorch does by default, so that results know whether they need them
};

/// The user's inputs of a run: values of placeholders in order. A missing input has its default.
struct RunInputs {
    Values positional;
    std::vector<std::pair<std::string, Value>> named; ///< by the placeholder's target
};

/// Runs the graph of a model. Mirrors torch.fx.Interpreter, without Python.
///
///     auto tensors = std::make_shared<TensorStore>();
///     Interpreter interpreter(model, tensors);
///     Value out = interpreter.run({{x}, {}});
///
/// The plan (decomposed arguments, registers, last uses) is created once. A node learns its kernel in the first run
/// and calls it directly afterwards, as long as its arguments have the same kinds. Values are freed at their last use.
/// Gradients are recorded only if the hooks ask for them. State of modules (running statistics) changes in the tensor
/// store. Throws Error{Run} with the node's name, its text as source, and a hint. One thread at a time; the model must
/// not change during the lifetime of an Interpreter.
class Interpreter {
public:
    /// Does not run anything; the plan is created on construction.
    Interpreter(std::shared_ptr<const GraphModule> model, std::shared_ptr<TensorStore> tensors);
    ~Interpreter();
    Interpreter(Interpreter&&) noexcept;

    /// The model that this interpreter runs.
    const GraphModule& model() const { return *m_model; }
    /// Placeholders that the user provides, in order; an exported program provides the others from its tensors.
    const std::vector<NodeId>& inputs() const;
    /// Runs the graph and returns its result.
    Value run(const RunInputs& inputs, const RunHooks& hooks = {});
    /// Starts with known values and skips nodes that only they need. Mirrors torch.fx's `initial_env`. The values of
    /// `keep` are not freed and returned in `kept`, in that order.
    Value runFrom(const std::vector<std::pair<NodeId, Value>>& known, const RunInputs& inputs,
                  const std::vector<NodeId>& keep, std::vector<Value>& kept, const RunHooks& hooks = {});

private:
    friend class SteppedRun;
    std::shared_ptr<const GraphModule> m_model;
    std::unique_ptr<Plan> m_plan;
};

/// Returns the name of the running node for crash reports; null if no node runs. Async-signal-safe. Only one thread
/// may run models.
const char* currentNode();

} // namespace fx::engine
