// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// All passes, in the order in which they are listed.
const std::vector<Pass>& allPasses();

/// The pass of that name, or null.
const Pass* findPass(std::string_view name);

/// Names of passes that look like `name`, best first; for "did you mean".
std::vector<std::string_view> passesLike(std::string_view name);

/// A pass to run, and with what.
struct PassRequest {
    std::string name;
    JsonValue settings; ///< an object, or nothing for the defaults
};
/// What became of one pass.
struct PassReport {
    std::string name;
    bool changed = false;
    double millis = 0;
};

/// Runs passes in order and lints after each: all of them or none. Throws Error{Refused} that names the pass: unknown
/// names and settings, passes that this program cannot run, results that lint refuses; Error{Run} when the model fails
/// in a pass that runs it. `engine`: for passes that need one; without it they are refused.
std::vector<PassReport> runPasses(GraphModule& model, const std::vector<PassRequest>& requests, Warnings& warnings,
                                  const Progress& progress = {}, TensorEngine* engine = nullptr);

} // namespace fx
