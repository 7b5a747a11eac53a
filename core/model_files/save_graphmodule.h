// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

namespace fx {

/// The result of saving a file.
struct SaveReport {
    Warnings warnings;     ///< warnings found while writing; see `foresee` for the others
    bool verified = false; ///< it was read back and is equal
};

/// Saves a model for `torch.load(path, weights_only=False)`. Since PyTorch traces the code of such a file again, names
/// can change: `foresee` tells which, and whether PyTorch can load the file at all. With `verify`, the file is read
/// back and compared with the model that PyTorch will load, weights bit for bit. Throws Error{Refused}; the old file is
/// then unchanged, unless the comparison fails.
SaveReport saveGraphModule(const GraphModule& model, const std::string& path, bool verify,
                           const Progress& progress = {});

/// Saves a model as the folder that `GraphModule.to_folder` writes. Otherwise the same; the folder's name may end in
/// "/".
SaveReport saveFolder(const GraphModule& model, const std::string& folder, bool verify, const Progress& progress = {});

/// Throws the Error{Refused} with which saving the model so would end; writes nothing and reads no weights.
void checkSavable(const GraphModule& model, bool isFolder, const Progress& progress = {});

/// The same for the place: no permission, no folder, or something there that may not be replaced. A path that ends in
/// "/" is a folder.
void checkTarget(const std::string& path);

} // namespace fx
