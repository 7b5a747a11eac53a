// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/call_learner.h"

namespace fx::engine {

CallLearner::CallLearner(Plan& plan, PlannedStep& step) : m_plan(plan), m_step(step) {
    dependsOnMore() = !argumentsAreSimple();
    if (dependsOnMore()) return;
    for (const PlannedArgument& argument : step.positional)
        if (argument.kind == PlannedArgument::Kind::Register)
            m_inputs.emplace_back(argument.place, plan.m_registers[argument.place].tensor());
    for (const auto& [name, argument] : step.named)
        if (argument.kind == PlannedArgument::Kind::Register)
            m_inputs.emplace_back(argument.place, plan.m_registers[argument.place].tensor());
}

/// Constants, and registers that hold tensors.
bool CallLearner::argumentsAreSimple() const {
    const auto simple = [this](const PlannedArgument& argument) {
        if (argument.kind == PlannedArgument::Kind::Register) return m_plan.m_registers[argument.place].isTensor();
        bool holdsNode = false;
        if (argument.composite) forEachNode(*argument.composite, [&](NodeId) { holdsNode = true; });
        return !holdsNode;
    };
    return std::all_of(m_step.positional.begin(), m_step.positional.end(), simple) &&
           std::all_of(m_step.named.begin(), m_step.named.end(),
                       [&](const auto& entry) { return simple(entry.second); });
}

void CallLearner::called(const Kernel& kernel, const std::vector<c10::IValue>& stack, ResultStyle style) {
    if (++m_calls > 1 || dependsOnMore()) return;
    m_call.kernel = &kernel;
    m_call.style = style;
    m_call.stack = stack;
}

void CallLearner::returned(const Value& result) {
    if (m_calls == 1) m_result = result;
}

/// Tells which entries of the stack come from registers; false when a tensor is of unknown origin or an input is not
/// there.
bool CallLearner::settle(LearnedCall& call) const {
    std::vector<bool> used(m_inputs.size());
    for (std::uint32_t place = 0; place < call.stack.size(); ++place) {
        c10::IValue& entry = call.stack[place];
        if (entry.isTensorList() || entry.isOptionalTensorList()) return false;
        if (!entry.isTensor() || !entry.toTensor().defined()) continue;
        const at::Tensor tensor = entry.toTensor();
        bool found = false;
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            if (!m_inputs[i].second.is_same(tensor)) continue;
            if (!found) call.dynamic.emplace_back(place, m_inputs[i].first);
            found = used[i] = true;
        }
        if (found) entry = c10::IValue();
        else if (!tensor.unsafeGetTensorImpl()->is_wrapped_number() && !m_plan.m_tensors->owns(tensor)) return false;
    }
    return std::all_of(used.begin(), used.end(), [](bool was) { return was; });
}

void CallLearner::finish(const Value& result) {
    const bool same = result.isTensor() ? m_result.isTensor() && result.tensor().is_same(m_result.tensor())
                                        : result.items() && result.items() == m_result.items();
    if (m_calls != 1 || dependsOnMore() || !same || !settle(m_call)) {
        m_step.learnable = false;
        return;
    }
    for (const auto& [place, tensor] : m_inputs) m_call.tensors.push_back(place);
    m_step.learned = std::make_unique<LearnedCall>(std::move(m_call));
}

} // namespace fx::engine
