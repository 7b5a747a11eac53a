// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/steps.h"

#include <optional>

namespace fx {

/// The outcome of one step in a rehearsal.
struct TriedStep {
    enum class State : std::uint8_t { Done, Refused, NotTried };
    std::string words; ///< "insert_after relu, op call_function, target torch.tanh"
    State state = State::NotTried;
    std::size_t created = 0, changed = 0, erased = 0; ///< number of nodes, if the step was applied
};

/// What steps would do to a model.
struct Rehearsal {
    std::vector<TriedStep> steps;
    std::shared_ptr<const GraphModule> after; ///< null if a step was refused
    std::optional<Error> refusal;             ///< of the refused step, or of the result if all steps were applied
};

/// Applies steps (a JSON array) to a copy of `model`, as History::edited does, and records the outcome of each. Linear
/// in the model for each step. Throws Error{Cancelled}, and Error{File} if the text is not a list of steps. Any thread.
Rehearsal rehearse(const GraphModule& model, const std::string& steps, const Progress& progress = {});

/// A step on one line: its name and its keys, long values shortened.
std::string stepWords(const JsonValue& step);

} // namespace fx
