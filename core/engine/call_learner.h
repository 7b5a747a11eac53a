// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/plan.h"

namespace fx::engine {

/// Observes one full execution of a node. If the node calls a single operator on its inputs and tensors of the model,
/// the plan learns this call, and later runs make it directly.
class CallLearner : public CallObserver {
public:
    /// Observes `step` until `finish`; `plan` and `step` must outlive this object.
    CallLearner(Plan& plan, PlannedStep& step);
    void called(const Kernel& kernel, const std::vector<c10::IValue>& stack, ResultStyle style) override;
    void returned(const Value& result) override;
    /// Stores the learned call in the step, if there is one. `result` is the value of the node.
    void finish(const Value& result);

private:
    bool argumentsAreSimple() const;
    bool settle(LearnedCall& call) const;

    Plan& m_plan;
    PlannedStep& m_step;
    LearnedCall m_call;
    Value m_result;
    int m_calls = 0;
    std::vector<std::pair<std::uint32_t, at::Tensor>> m_inputs; ///< registers that the node reads
};

} // namespace fx::engine
