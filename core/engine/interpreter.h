// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/module/graph_module.h"

#include <functional>
#include <memory>

namespace fx::engine {

class Plan;

/// Sees a run node by node; members that are empty cost nothing.
struct RunHooks {
    std::function<void(const Node& node)> before;
    std::function<void(const Node& node, const Value& result)> after;
    /// Given: a node that fails does not end the run; it and what depends on it are left out, and this is told.
    std::function<void(const Node& node, const fx::Error& error)> failed = {};
    bool gradients = false; ///< record them as PyTorch does by default, so that results say whether they need gradients
};

/// What the user gives to a run: the values of placeholders in their order. A missing value stands for the default.
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
/// The plan (arguments taken apart, registers, last uses) is made once; a node learns its kernel in the first run and
/// calls it directly from then on, as long as its arguments are of the same kinds. Values are freed at their last use.
/// Nothing records gradients unless the hooks ask for it. Modules change their state (running statistics) in the tensor
/// store. Errors are Error{Run} with the node's name, its text as source, and what would help. Use from one thread at a
/// time; the model must not change while an Interpreter lives.
class Interpreter {
public:
    Interpreter(std::shared_ptr<const GraphModule> model, std::shared_ptr<TensorStore> tensors);
    ~Interpreter();
    Interpreter(Interpreter&&) noexcept;

    const GraphModule& model() const { return *m_model; }
    /// Placeholders that the user gives values for, in order; exported programs feed the others from their tensors.
    const std::vector<NodeId>& inputs() const;
    Value run(const RunInputs& inputs, const RunHooks& hooks = {});
    /// torch.fx's `initial_env`: starts with values that are known already; what only they needed is not run. `keep`:
    /// values that are wanted after the run, which are not freed.
    Value runFrom(const std::vector<std::pair<NodeId, Value>>& known, const RunInputs& inputs,
                  const std::vector<NodeId>& keep, std::vector<Value>& kept, const RunHooks& hooks = {});

private:
    friend class SteppedRun;
    std::shared_ptr<const GraphModule> m_model;
    std::unique_ptr<Plan> m_plan;
};

/// The name of the node that runs, for reports of crashes; null when none. Safe in a signal handler; one thread runs
/// models.
const char* currentNode();

} // namespace fx::engine
