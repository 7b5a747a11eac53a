// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/tracing/trace_file.h"

#include <string>

namespace fx {

/// Options for opening a file.
struct OpenOptions {
    std::string modelName;     ///< model to open in an archive with several; if empty, the first
    bool leafModules = true;   ///< TorchScript: modules of torch.nn stay modules, instead of operators alone
    SourceOptions source = {}; ///< for Python source
    bool keepsContent = false; ///< weights are kept (DataFile::keepContent): overwriting the file does no harm then
};

} // namespace fx
