// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/foresee.h"
#include "core/model_files/project/project.h"
#include "core/model_files/save_graphmodule.h"
#include "core/remote/worker_client.h"

namespace fx::remote {

/// How `saveModel` writes a model.
struct SaveOptions {
    bool verify = true;              ///< reads the file back and compares it
    bool overForeignWeights = false; ///< `.json` may replace a .safetensors file that was not written with it
    std::string note;                ///< first comment of a `.py` file
    std::optional<Project> project;  ///< how the model came about, for `.lancet`; none: not by steps
    RunRequest inputs;               ///< for `.ts`, which is run before it replaces a file
    WorkerOptions worker;            ///< the worker, on this machine
    std::uint64_t seed = 0;          ///< torch.manual_seed before constants of a `.pt2` are computed
};

/// Saves a model in the format that the path selects (`savedAs`) and reads it back. The command line and the window
/// both save with it. Starts a worker on this machine for `.ts`, and for `.pt2` if constants are expressions. The
/// warnings include wrong checksums of the file that the model is from. Throws Error{Refused} with the node that cannot
/// be written; the old file is then unchanged, unless the comparison fails.
SaveReport saveModel(const std::shared_ptr<const GraphModule>& model, const std::string& path, SaveOptions options,
                     const Progress& progress = {});

} // namespace fx::remote
