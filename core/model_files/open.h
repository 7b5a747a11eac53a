// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/open_options.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string>

namespace fx {

/// Whether `openModel` would trace `path` as Python source: "net.py", "net.py:Net". False if it cannot be read.
bool isPythonSource(const std::string& path);

/// Opens any supported MODEL, recognised by content (docs/cli.md). Runs no code from the file; TorchScript is
/// read by the worker (core/io/torchscript). Throws Error{File} with
/// the kind of file, the position of the problem, and a hint.
std::shared_ptr<GraphModule> openModel(const std::string& path, const OpenOptions& options = {},
                                       const Progress& progress = {});

} // namespace fx
