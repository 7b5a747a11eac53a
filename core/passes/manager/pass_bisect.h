// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/manager/pass_manager.h"

#include <optional>

namespace fx {

/// The result of a bisection.
struct PassBisection {
    std::string pass;      ///< the first pass after which the model fails
    std::size_t index = 0; ///< index of its run, from 0
    /// The first rewrite of that pass after which the model fails; nullopt if the pass makes none.
    std::optional<RewritePlace> rewrite;
    std::size_t rewrites = 0;  ///< rewrites of that pass until it ended or failed
    Error problem;             ///< error of lint or of the check
    GraphModule before, after; ///< the model before and after that rewrite
    std::size_t checks = 0;    ///< number of checked models
};

/// Finds by bisection the first pass, and its first rewrite, after which the model fails lint or `check` (null: lint
/// only). Assumes that a failing model keeps failing. Returns nullopt if the model passes after the last pass. Runs
/// the passes of `manager` in its order, without the manager's checks. Throws Error{Refused} if the model fails
/// `check` before the first pass, Error{Cancelled}, and Error{Usage} from the check.
std::optional<PassBisection> bisectPasses(const GraphModule& model, PassManager manager, const ModelCheck& check,
                                          Warnings& warnings, const Progress& progress = {});

} // namespace fx
