// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// What came of saving a file.
struct SaveReport {
    Warnings warnings;     ///< what only writing could tell; `foresee` says the rest
    bool verified = false; ///< it was read back and is the same
};

/// Saves a model for `torch.load(path, weights_only=False)`. Since PyTorch traces the code of such a file again, names
/// can change: `foresee` says which, and whether PyTorch can load the file at all. With `verify` the file is read back
/// and compared with what PyTorch makes of it, weights bit for bit. Throws Error{Refused}; the old file is then as it
/// was, unless it is the comparison that fails.
SaveReport saveGraphModule(const GraphModule& model, const std::string& path, bool verify,
                           const Progress& progress = {});

/// Saves a model as the folder that `GraphModule.to_folder` writes. The same otherwise; the folder's name may end in
/// "/".
SaveReport saveFolder(const GraphModule& model, const std::string& folder, bool verify, const Progress& progress = {});

} // namespace fx
