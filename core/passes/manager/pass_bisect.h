// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"

#include <optional>

namespace fx {

/// What bisection found.
struct PassBisection {
    std::string pass;                    ///< the first pass after which the model fails
    std::size_t index = 0;               ///< of its run, from 0
    std::optional<RewritePlace> rewrite; ///< its first rewrite after which it does; none if the pass makes none
    std::size_t rewrites = 0;            ///< all of that pass, as far as it got
    Error problem;
    GraphModule before, after; ///< the model before and after that rewrite
    std::size_t checks = 0;    ///< how often a model was checked
};

/// Finds the first pass, then its first rewrite, after which the model fails lint or `check` (null: lint only), by
/// bisection: it takes it that what is broken stays broken. Nothing if the model is right after the last pass. The
/// passes of `manager` run in its order; its own checks do not. Throws Error{Refused} if the model fails `check` before
/// the first pass, Error{Cancelled}, and Error{Usage} of the check.
std::optional<PassBisection> bisectPasses(const GraphModule& model, PassManager manager, const ModelCheck& check,
                                          Warnings& warnings, const Progress& progress = {});

} // namespace fx
