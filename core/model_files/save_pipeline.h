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
///     pipeline.json      names of the inputs, nesting of the outputs
///     run_pipeline.py    uses torch.distributed.pipelining; explains its own usage
///
/// The folder is written beside its target and then exchanged; an existing target must be empty or such a folder. With
/// `verify`, each stage is read back and compared. Throws Error{Refused, File}. Returns the names of the files.
std::vector<std::string> savePipeline(const GraphModule& model, const SplitAssignment& assignment,
                                      const std::string& folder, bool verify, const Progress& progress = {});

} // namespace fx
