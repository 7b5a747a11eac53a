// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/counterexample.h"
#include "core/engine/verify/later_calls.h"

namespace fx::engine {

/// The models and limits of a search over several calls.
struct CallSearch {
    const VerifySide& a;                 ///< model A
    const VerifySide& b;                 ///< model B
    Comparison& comparison;              ///< runs both models
    const std::function<bool()>& isOver; ///< true once the time is over
    bool tellsNan;                       ///< what changed finds or replaces NaN, which a buffer may keep
};
/// Compares the models in several calls one after another, at most `most`, on the given inputs and on changing ones;
/// then in calls far later; then with small buffers set to the constants of the changed region, if the next value of a
/// buffer depends on the inputs: `where(n < 200, ..)`.
std::optional<Counterexample> differInLaterCalls(const CallSearch& search, std::size_t most,
                                                 const std::vector<double>& constants);

} // namespace fx::engine
