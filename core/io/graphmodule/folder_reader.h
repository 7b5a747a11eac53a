// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_reader.h"

namespace fx {

/// The original data of a folder: the pickles of its child modules. `Module::origin` refers to an object in the
/// module's file.
class FolderOrigin : public Origin {
public:
    std::vector<std::shared_ptr<TorchFile>> files;
    std::string importBlock, code;
};

/// Reads a folder that `GraphModule.to_folder` wrote: `module.py` as data, weights from `state_dict.pt`, other children
/// from their files. Runs no code. `read` follows the code of `module.py`, which Python runs as it is, and `retrace`
/// that of GraphModules in those files, which PyTorch traces again. Throws Error{File}.
std::shared_ptr<GraphModule> readFolder(const std::string& folder, const Retrace& read, const Retrace& retrace,
                                        const Progress& progress, bool keepsContent = false);

} // namespace fx
