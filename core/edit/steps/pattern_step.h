// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step.h"
#include "core/make/new_module.h"
#include "core/match/rewriter.h"
#include "core/ops/call_check.h"

namespace fx {

/// A parsed step `replace_pattern`: both sources, traced, and the options.
struct PatternStep {
    GraphModule pattern, replacement;
    RewriteOptions options; ///< all but `makeModule`
    NewModules newModules;  ///< modules that the replacement creates for each match
    std::uint64_t seed = 0; ///< seed of their weights
    /// Number of matches with an unknown filter result.
    std::shared_ptr<std::size_t> unknown = std::make_shared<std::size_t>();
};

/// Reads the step. Functions that `model` calls count as known. `readers` follow the sources. Throws Error{Refused,
/// File}.
std::unique_ptr<PatternStep> readPatternStep(const JsonValue& step, const GraphModule& model,
                                             const Progress& progress = {}, const Readers& readers = {});

/// Sets `options.makeModule` to create the replacement's modules for each match. `random` draws their weights one
/// after the other. `newModules` and `random` must outlive `options`.
void makeNewModules(RewriteOptions& options, const NewModules& newModules, TorchGenerator& random);

/// Returns the functions and methods that the model calls, for `ops::callProblem`.
ops::KnownFunction functionsOf(const GraphModule& model);
/// Returns the names of these functions without duplicates, in graph order, for `DefinitionSettings::known`.
std::vector<std::string> functionNames(const GraphModule& model);

/// Applies the step `replace_pattern`.
void replacePatternStep(const Step& step);

} // namespace fx
