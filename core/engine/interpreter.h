// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/module/graph_module.h"

#include <functional>
#include <memory>

namespace fx::engine {

class Plan;

/// Callbacks for each node of a run; empty members cost nothing.
struct RunHooks {
    std::function<void(const Node& node)> before;
    std::function<void(const Node& node, const Value& result)> after;
    /// If set, a failing node does not end the run: it and its dependents are skipped, and this is called.
    std::function<void(const Node& node, const fx::Error& error)> failed = {};
    bool gradients =
        false; ///< record gradients like PyTorch does by default, so that results know whether they need them
};

/// The user's inputs of a run: values of placeholders in order. A missing value means the default.
struct RunInputs {
    Values positional;
    std::vector<std::pair<std::string, Value>> named; ///< by the placeholder's target
};

/// Runs the graph of a model: torch.fx.Interpreter without Python.
///
///     auto tensors = std::make_shared<TensorStore>();
///     Interpreter interpreter(model, tensors);
///     Value out = interpreter.run({{x}, {}});
///
/// The plan (decomposed arguments, registers, last uses) is made once; a node learns its kernel in the first run and
/// calls it directly from then on, as long as its arguments are of the same kinds. Values are freed at their last use.
/// Gradients are recorded only if the hooks ask for them. Modules change their state (running statistics) in the tensor
/// store. Errors are Error{Run} with the node's name, its text as source, and a hint. Use from one thread at a time;
/// the model must not change while an Interpreter lives.
class Interpreter {
public:
    Interpreter(std::shared_ptr<const GraphModule> model, std::shared_ptr<TensorStore> tensors);
    ~Interpreter();
    Interpreter(Interpreter&&) noexcept;

    const GraphModule& model() const { return *m_model; }
    /// Placeholders that the user provides, in order; exported programs provide the others from their tensors.
    const std::vector<NodeId>& inputs() const;
    Value run(const RunInputs& inputs, const RunHooks& hooks = {});
    /// torch.fx's `initial_env`: starts with known values and skips nodes that only they need. `keep`: values that are
    /// not freed.
    Value runFrom(const std::vector<std::pair<NodeId, Value>>& known, const RunInputs& inputs,
                  const std::vector<NodeId>& keep, std::vector<Value>& kept, const RunHooks& hooks = {});

private:
    friend class SteppedRun;
    std::shared_ptr<const GraphModule> m_model;
    std::unique_ptr<Plan> m_plan;
};

/// The name of the node that runs, for reports of crashes; null if none. Safe in a signal handler; one thread runs
/// models.
const char* currentNode();

} // namespace fx::engine
