// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/further_inputs.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Inputs for which models differ whose outputs agreed.
struct Counterexample {
    VerdictReason code = VerdictReason::OtherData;
    Message reason;
};

/// How many further runs a comparison may cost.
struct FurtherRuns {
    std::size_t values = 0; ///< inputs of other values; so many batches and calls at most
    double millis = 0;      ///< of the process: no run is begun after that
};
/// So many that they cost little against what was run already. `elements`: of all values of a run, which tells how
/// much it computes.
FurtherRuns furtherRunsFor(std::int64_t nodes, std::int64_t elements, double millisOfRun, double millisSofar);

/// Runs both models as a whole on further inputs: other values, batches of other sizes, and several calls one after
/// another where they keep a state. A difference counts that is more than rounding: larger than what some roundings of
/// the inputs make of A. Inputs that A refuses say nothing. Nothing found: the outputs agree on all of them. The
/// tensors of both have kept their state.
std::optional<Counterexample> differOnFurtherInputs(const VerifySide& a, const VerifySide& b,
                                                    const VerifyOptions& options, const FurtherRuns& runs);

/// That B cannot be run on inputs of other sizes than the batch, each made larger by one, on which A can; empty: none.
/// That is no difference of what both compute, but has to be told.
Message refusedByB(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const FurtherRuns& runs);

} // namespace fx::engine
