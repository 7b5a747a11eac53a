// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

#include <functional>

namespace fx {

/// A pass to run, with its settings.
struct PassRequest {
    std::string name;
    JsonValue settings; ///< an object, or nothing for the defaults
    /// torch.fx `loop_pass`: how often it runs in a row. 0: until it changes nothing more, at most kMaxLoops times.
    std::size_t times = 1;
    /// A pass of one's own instead of the built-in one called `name`; returns whether it changed anything.
    std::function<bool(const PassRun& run)> own = {};

    bool isLoop() const { return times != 1; }
};
inline constexpr std::size_t kMaxLoops = 1000;

/// "cse", or "loop_pass(cse)".
std::string passLabel(const PassRequest& pass);

/// torch.fx `inplace_wrapper`: a function that changes a model in place as a pass. What it changed is not known, so it
/// counts as a change, as `pass_result_wrapper` has it.
std::function<bool(const PassRun& run)> inplaceWrapper(std::function<void(GraphModule& model)> change);

/// A constraint on the order of passes: whether `a` may run before `b`.
struct PassConstraint {
    std::string first, then;
    bool unwrap = false; ///< loops of the passes count as the passes
    bool holds(const PassRequest& a, const PassRequest& b) const;
};
/// torch.fx `this_before_that_pass_constraint`.
PassConstraint thisBeforeThat(std::string first, std::string then);
/// torch.fx `these_before_those_pass_constraint`: also for loops of these passes.
PassConstraint theseBeforeThose(std::string first, std::string then);

/// Passes and the constraints on their order.
struct PassSchedule {
    std::vector<PassRequest> passes;
    std::vector<PassConstraint> constraints;

    /// Throws Error{Refused} with both passes if the order of `passes` violates a constraint.
    void validate() const;
    /// torch.fx `solve_constraints`: sorts `passes` so that all constraints hold, in torch.fx's order. As there, a pass
    /// that is listed twice runs once if it must run after another. Throws Error{Refused} that names the cycle if there
    /// is none.
    void solve();
};

} // namespace fx
