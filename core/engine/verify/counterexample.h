// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/further_inputs.h"
#include "core/engine/verify/whole_model.h"

namespace fx::engine {

/// Inputs for which two models differ although their outputs agree on the given inputs.
struct Counterexample {
    VerdictReason code = VerdictReason::OtherData; ///< the reason's category
    Message reason;                                ///< how the models differ
    RunInputs inputs = {};                         ///< of A
};
/// Builds a counterexample from further inputs and the difference that they show.
Counterexample counterexampleFrom(const FurtherInputs& further, const Message& difference);
/// Builds a counterexample from further inputs that B refuses.
Counterexample counterexampleFrom(const FurtherInputs& further, const Refusal& refusal);
/// Returns inputs by the names of the model's placeholders, for VerifyReport::counterexample. Returns null if the model
/// takes a variable number of inputs, as `*args`.
std::shared_ptr<const ValueTree> inputsByName(const VerifySide& side, const RunInputs& inputs);

} // namespace fx::engine
