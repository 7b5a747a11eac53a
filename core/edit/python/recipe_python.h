// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_files.h"
#include "core/edit/steps/steps.h"

namespace fx {

/// Returns the steps as a Python script that makes the same edits with torch.fx: a function `edit(gm)`, and a main
/// part `python script.py [MODEL [OUT]]` that loads, edits, prints `gm.code` and optionally saves. The code is byte
/// for byte that of `applySteps`. The script loads `modelPath` if it has no argument. `carried` maps files of the
/// steps to paths relative to the script. `readers` follow Python in the steps.
///
/// Throws Error{Refused} if a step cannot be applied or has no equivalent in torch.fx.
std::string recipePython(const GraphModule& model, const StepList& steps, std::string_view modelPath,
                         const Progress& progress = {}, const FilePaths& carried = {}, const Readers& readers = {});

} // namespace fx
