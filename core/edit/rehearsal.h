// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps.h"

#include <optional>

namespace fx {

/// One of several steps that were tried on a model.
struct TriedStep {
    enum class State : std::uint8_t { Done, Refused, NotTried };
    std::string words; ///< "insert_after relu, op call_function, target torch.tanh"
    State state = State::NotTried;
    std::size_t created = 0, changed = 0, erased = 0; ///< nodes, of one that is done
};

/// What steps would do to a model that stays as it is.
struct Rehearsal {
    std::vector<TriedStep> steps;
    std::shared_ptr<const GraphModule> after; ///< null when something was refused
    std::optional<Error> refusal;             ///< of the refused step; where all are done, of what they lead to
};

/// Tries steps (a JSON array) on a copy of `model`, as History::edited does, and notes how each went. Linear in the
/// model for each step. Throws Error{Cancelled}, and Error{File} for a text that is no list of steps. Any thread.
Rehearsal rehearse(const GraphModule& model, const std::string& steps, const Progress& progress = {});

/// A step on one line: its name and its keys, long values shortened.
std::string stepWords(const JsonValue& step);

} // namespace fx
