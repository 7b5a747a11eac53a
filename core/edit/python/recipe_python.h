// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_files.h"
#include "core/edit/steps/steps.h"

namespace fx {

/// The steps as a Python script that does the same to the same model with torch.fx: `edit(gm)`, and a main part
/// `python script.py [MODEL [OUT]]` that loads, edits, prints `gm.code` and may save. The code is byte for byte that of
/// `applySteps`. `modelPath`: what the script loads when it is given nothing.
/// `carried`: files of the steps that lie beside the script, and their paths from there.
///
/// Throws Error{Refused} if a step cannot be applied or has no equivalent in torch.fx.
std::string recipePython(const GraphModule& model, const std::vector<JsonValue>& steps, std::string_view modelPath,
                         const Progress& progress = {}, const FilePaths& carried = {});

} // namespace fx
