// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step.h"
#include "core/make/new_module.h"
#include "core/match/rewriter.h"
#include "core/ops/call_check.h"

namespace fx {

/// What the step `replace_pattern` says: both sources traced, and how to match and replace.
struct PatternStep {
    GraphModule pattern, replacement;
    RewriteOptions options; ///< all but `makeModule`
    NewModules newModules;  ///< that the replacement creates for each match
    std::uint64_t seed = 0; ///< of their weights
    std::shared_ptr<std::size_t> unknown = std::make_shared<std::size_t>(); ///< matches that a filter could not judge
};

/// Reads the step; functions that `model` calls are known. Throws Error{Refused, File}.
std::unique_ptr<PatternStep> readPatternStep(const JsonValue& step, const GraphModule& model);

/// Lets `options` make the replacement's new modules, each match its own, with weights drawn one after the other from
/// `random`, which must outlive the options. `newModules` as well.
void makeNewModules(RewriteOptions& options, const NewModules& newModules, TorchGenerator& random);

/// The functions and methods that the model calls, for `ClassSettings::isKnown`.
ops::KnownFunction functionsOf(const GraphModule& model);

/// The step itself.
void replacePatternStep(const Step& step);

} // namespace fx
