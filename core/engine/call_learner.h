// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/plan.h"

namespace fx::engine {

/// Observes one full execution of a node. If it called a single operator on the node's inputs and tensors of the model,
/// the node can call that operator directly next time.
class CallLearner : public CallObserver {
public:
    CallLearner(Plan& plan, Step& step);
    void called(const Kernel& kernel, const std::vector<c10::IValue>& stack, ResultStyle style) override;
    void returned(const Value& result) override;
    /// `result` is the value of the node.
    void finish(const Value& result);

private:
    bool argumentsAreSimple() const;
    bool settle(LearnedCall& call) const;

    Plan& m_plan;
    Step& m_step;
    LearnedCall m_call;
    Value m_result;
    int m_calls = 0;
    std::vector<std::pair<std::uint32_t, at::Tensor>> m_inputs; ///< registers that the node reads
};

} // namespace fx::engine
