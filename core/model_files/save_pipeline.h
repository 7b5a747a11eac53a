// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/partition/split.h"

#include <string>
#include <vector>

namespace fx {

/// Writes a folder that runs a model as a pipeline of processes under torchrun:
///
///     stage_0.pt …       a GraphModule for each stage
///     pipeline.json      names of the inputs, how the outputs nest
///     run_pipeline.py    torch.distributed.pipelining; it says itself how it is started
///
/// Each file is replaced as a whole; files of more stages than there are now are removed. With `verify` each stage is
/// read back and compared. Throws Error{Refused, File}. Returns the names of the files.
std::vector<std::string> savePipeline(const GraphModule& model, const SplitAssignment& assignment,
                                      const std::string& folder, bool verify, const Progress& progress = {});

} // namespace fx
