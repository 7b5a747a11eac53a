// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step.h"
#include "core/io/safetensors/safetensors.h"

namespace fx {

/// What passes that need the worker made of a model, kept in their step so that it can be repeated without the worker,
/// with the same values and whatever was measured then. Tensors that the model had already are only named.
struct KeptResult {
    std::string json;      ///< an object: the key "result" of the step `passes`
    SafetensorsFile fresh; ///< tensors that the model did not have, for the key "file"; may be empty
};
KeptResult keepResult(const GraphModule& before, const GraphModule& after, const Progress& progress = {});

/// Takes the result that a step `passes` keeps. Returns false if it keeps none, or that of another model.
bool takeKeptResult(const Step& step);

/// Steps (a JSON array) without kept results, for recipes: the passes run again on the model that a recipe is applied
/// to, whose weights are others.
std::string withoutKeptResults(const std::string& steps);

/// `made` is still the model of the file that was opened.
void becomeResult(GraphModule& model, GraphModule made);

} // namespace fx
