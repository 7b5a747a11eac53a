// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/pass.h"

namespace fx {

/// All passes, in display order.
const std::vector<Pass>& allPasses();

/// The pass with this name, or null.
const Pass* findPass(std::string_view name);

/// Names of passes that look like `name`, best first; for "did you mean".
std::vector<std::string_view> passesLike(std::string_view name);

/// A pass to run, with its settings.
struct PassRequest {
    std::string name;
    JsonValue settings; ///< an object, or nothing for the defaults
};
/// The outcome of one pass.
struct PassReport {
    std::string name;
    bool changed = false;
    double millis = 0;
};

/// Runs passes in order and lints after each; changes nothing on failure. Throws Error{Refused} with the name of the
/// pass for unknown names and settings, unsupported passes, and results that fail lint; Error{Run} if the model fails
/// in a pass that runs it. Passes that need an `engine` are refused without one.
std::vector<PassReport> runPasses(GraphModule& model, const std::vector<PassRequest>& requests, Warnings& warnings,
                                  const Progress& progress = {}, TensorEngine* engine = nullptr);

} // namespace fx
