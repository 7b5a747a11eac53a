// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/module.h"

#include <string>
#include <vector>

namespace fx::script {

/// What a TorchScript file tells without LibTorch.
struct ScriptFacts {
    std::string className; ///< "__torch__.Net"
    std::vector<std::string> methods;
    TensorTotals tensors; ///< those that share memory count once
};

/// Reads the archive's directory, `data.pkl` and the code of the file's class. Throws Error{File}.
ScriptFacts scriptFacts(const std::string& path, const Progress& progress);

} // namespace fx::script
