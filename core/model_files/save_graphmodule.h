// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// The result of saving a file.
struct SaveReport {
    Warnings warnings;     ///< from writing; `foresee` returns the others
    bool verified = false; ///< the file was read back and is equal
};

/// Saves a model for `torch.load(path, weights_only=False)`. PyTorch retraces the code of such a file, so names can
/// change: `foresee` returns the changes, and whether PyTorch can load the file at all. `verify` reads the file back
/// and compares it with the model that PyTorch will load, weights bit for bit. Throws Error{Refused}; the old file is
/// then unchanged, unless the comparison fails.
SaveReport saveGraphModule(const GraphModule& model, const std::string& path, bool verify,
                           const Progress& progress = {});

/// Saves a model as the folder that `GraphModule.to_folder` writes, with the same checks. Does not
/// compare a model that the folder cannot represent completely (a warning says so). The name may end in "/".
SaveReport saveFolder(const GraphModule& model, const std::string& folder, bool verify, const Progress& progress = {});

/// Throws the Error{Refused} that saving would throw. Writes nothing and reads no weights.
void checkSavable(const GraphModule& model, bool isFolder, const Progress& progress = {});

/// Throws Error{Refused} if the target is not writable, its folder is missing, or it may not be replaced. A path that
/// ends in "/" is a folder.
void checkTarget(const std::string& path);

} // namespace fx
