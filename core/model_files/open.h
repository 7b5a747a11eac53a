// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/open_options.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string>

namespace fx {

/// Opens any MODEL that Lancet knows; the content decides which reader (docs/cli). Runs nothing of the file.
/// Throws Error{File} that says what the file is, where in it the trouble is, and what would help.
std::shared_ptr<GraphModule> openModel(const std::string& path, const OpenOptions& options = {},
                                       const Progress& progress = {});

} // namespace fx
