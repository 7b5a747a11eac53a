// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step.h"
#include "core/io/tensors/state_dicts.h"

namespace fx {

/// Class name of the state dict of an exported program.
inline constexpr const char* kExportedProgram = "torch.export.ExportedProgram";

/// Returns the file and the key that a step `load_weights` names.
WeightsFile weightsOf(const JsonValue& step);

/// Finds the state dicts that a step loads: those of a file of torch.save or safetensors, or that of a GraphModule or
/// an exported program; also in a project. Throws Error{File, Refused}.
std::vector<StateDict> stateDictsOfStep(const std::string& file, const Progress& progress = {});

/// Applies the step `load_weights`: `load_state_dict` of a file, see `loadStateDicts`.
void loadWeightsStep(const Step& step);

} // namespace fx
