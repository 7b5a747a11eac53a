// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps.h"

namespace fx {

/// The steps as an equivalent torch.fx script: `edit(gm)`, and a main part
/// `python script.py [MODEL [OUT]]` that loads, edits, prints `gm.code` and optionally saves. The code is byte for byte
/// that of `applySteps`. `modelPath`: the default model of the script.
///
/// Throws Error{Refused} if a step cannot be applied or has no equivalent in torch.fx.
std::string recipePython(const GraphModule& model, const std::vector<JsonValue>& steps, std::string_view modelPath,
                         const Progress& progress = {});

} // namespace fx
