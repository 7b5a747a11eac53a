// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"

namespace fx::engine {

/// Runs an Interpreter node by node, so that two models can run side by side. The interpreter must outlive this object
/// and must not start another run meanwhile. Values are freed at their last use, as in `Interpreter::run`.
class SteppedRun {
public:
    /// `interpreter` must outlive this object.
    SteppedRun(Interpreter& interpreter, RunInputs inputs);
    ~SteppedRun();
    SteppedRun(const SteppedRun&) = delete;
    SteppedRun& operator=(const SteppedRun&) = delete;

    /// Runs the next node and returns it; null at the end of the graph. Throws as `Interpreter::run`.
    const Node* next();
    /// The value of the node that `next` returned.
    const Value& value() const { return m_value; }

private:
    Plan& m_plan;
    RunInputs m_inputs;
    std::size_t m_place = 0;
    std::optional<Modes> m_modes; ///< as left by its nodes
    Value m_value;
};

} // namespace fx::engine
