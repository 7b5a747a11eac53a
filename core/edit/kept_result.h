// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step.h"
#include "core/io/safetensors/safetensors.h"

namespace fx {

/// The result of passes that need the worker. The step stores it, so it can be repeated without the worker, with the
/// same values and the decisions that depended on measurements. Tensors that the model had before are stored by name
/// only.
struct KeptResult {
    std::string json;      ///< a JSON object, the key "result" of the step `passes`
    SafetensorsFile fresh; ///< new tensors, for the key "file"; may be empty
};
/// Returns the difference from `before` to `after` as a result to store. Throws Error{Cancelled}.
KeptResult keepResult(const GraphModule& before, const GraphModule& after, const Progress& progress = {});

/// Applies the result stored in a step `passes`. Returns false if the step has no result, or that of another model.
bool takeKeptResult(const Step& step);

/// Removes stored results from steps, for recipes: the passes must run again on the recipe's target model, whose
/// weights differ.
StepList withoutKeptResults(const StepList& steps);

/// Replaces a model by `made`, but keeps the file, format and origin of `model`.
void becomeResult(GraphModule& model, GraphModule made);

} // namespace fx
