// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/module/module.h"

#include <string>
#include <vector>

namespace fx::script {

/// Properties of a TorchScript file that are readable without LibTorch.
struct ScriptFacts {
    std::string className; ///< "__torch__.Net"
    std::vector<std::string> methods;
    TensorTotals tensors; ///< tensors that share memory count once
};

/// Reads the archive's directory, `data.pkl` and the code of the file's class. Throws Error{File}.
ScriptFacts scriptFacts(const std::string& path, const Progress& progress);

/// Returns the name of the file's class, `__torch__.Net`; empty if the file contains no script.
std::string classNameOf(const TorchFile& file);
/// Returns the code of a class, from `class Net(Module):` on; empty if the archive has none.
std::string classCode(const ZipArchive& archive, const std::string& className);

} // namespace fx::script
