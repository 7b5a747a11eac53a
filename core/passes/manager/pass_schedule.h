// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <functional>

namespace fx {

/// A pass to run, with its settings.
struct PassRequest {
    std::string name;   ///< of a built-in pass; a label if `own` is set
    JsonValue settings; ///< an object, or absent for the defaults
    /// Number of runs in a row; 0 repeats until nothing changes, at most kMaxLoops times. Mirrors torch.fx's
    /// `loop_pass`.
    std::size_t times = 1;
    /// A user-defined pass that replaces the built-in one; returns true if it changed anything.
    std::function<bool(const PassRun& run)> own = {};

    /// True for a pass that `loop_pass` wraps.
    bool isLoop() const { return times != 1; }
};
/// Limit for passes that repeat until nothing changes.
inline constexpr std::size_t kMaxLoops = 1000;

/// Returns "cse" or, for a loop, "loop_pass(cse)".
std::string passLabel(const PassRequest& pass);

/// A constraint on the order of passes: `first` runs before `then`.
struct PassConstraint {
    std::string first, then; ///< names of passes
    bool unwrap = false;     ///< apply to loops of the passes, too
    /// True if `a` may run before `b`.
    bool holds(const PassRequest& a, const PassRequest& b) const;
};
/// Mirrors torch.fx's `this_before_that_pass_constraint`.
PassConstraint thisBeforeThat(std::string first, std::string then);

/// Passes and constraints on their order.
struct PassSchedule {
    std::vector<PassRequest> passes; ///< in execution order
    std::vector<PassConstraint> constraints;

    /// Throws Error{Refused} with both passes if the order of `passes` violates a constraint.
    void validate() const;
    /// Sorts `passes` so that all constraints hold. Mirrors torch.fx's `solve_constraints`, with the same order; as
    /// there, a pass that is listed twice runs once if it must run after another. Throws Error{Refused} with the cycle
    /// if the constraints contradict each other.
    void solve();
};

} // namespace fx
