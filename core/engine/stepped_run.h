// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"

namespace fx::engine {

/// One run of an Interpreter taken node by node, so that two models can be run side by side. The interpreter must not
/// run anything else meanwhile. Values are freed at their last use, as in `Interpreter::run`.
class SteppedRun {
public:
    SteppedRun(Interpreter& interpreter, RunInputs inputs);
    ~SteppedRun();
    SteppedRun(const SteppedRun&) = delete;
    SteppedRun& operator=(const SteppedRun&) = delete;

    /// Runs the next node; null when the graph is through. Throws as `Interpreter::run`.
    const Node* next();
    /// What the last node gave.
    const Value& value() const { return m_value; }

private:
    Plan& m_plan;
    RunInputs m_inputs;
    std::size_t m_place = 0;
    std::optional<Modes> m_modes; ///< as its nodes left them
    Value m_value;
};

} // namespace fx::engine
