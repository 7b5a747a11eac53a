// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/python/tracing/trace_file.h"

#include <string>

namespace fx {

/// Options for opening a file.
struct OpenOptions {
    std::string modelName;     ///< model to open in an archive with several; if empty, the first
    bool leafModules = true;   ///< TorchScript: modules of torch.nn stay modules instead of becoming operators
    SourceOptions source = {}; ///< for Python source
    bool keepsContent = false; ///< keeps weights readable (`DataFile::keepContent`) after the file is overwritten
    Readers readers = {};      ///< for Python source and TorchScript; `source.reader` is set from it
};

} // namespace fx
