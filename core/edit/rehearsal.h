// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/steps.h"

#include <optional>

namespace fx {

/// The outcome of one step in a rehearsal.
struct TriedStep {
    enum class State : std::uint8_t { Done, Refused, NotTried }; ///< NotTried: an earlier step was refused
    std::string words; ///< "insert_after relu, op call_function, target torch.tanh"
    State state = State::NotTried;
    std::size_t created = 0, changed = 0, erased = 0; ///< number of nodes, if the step was applied
};

/// The preview of a list of steps.
struct Rehearsal {
    std::vector<TriedStep> steps;             ///< one per step, in order
    std::shared_ptr<const GraphModule> after; ///< null if a step was refused
    std::optional<Error> refusal;             ///< error of the refused step, or of the result if all steps were applied
};

/// Applies steps to a copy of `model`, as History::edited does, and records the outcome of each. Linear in the model
/// for each step. Throws Error{Cancelled}. Any thread.
Rehearsal rehearse(const GraphModule& model, const StepList& steps, const Progress& progress = {},
                   const Readers& readers = {});

/// Returns a step on one line: its name and its keys, with long values shortened.
std::string stepWords(const JsonValue& step);

} // namespace fx
