// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/save_graphmodule.h"
#include "core/remote/run_message.h"

namespace fx::remote {

class WorkerClient;

/// The result of the verb "check_script", which runs a model and a TorchScript file on the same inputs.
struct CheckedScript {
    bool ran = false;     ///< the file ran and gave the same numbers as the model
    std::string why = {}; ///< the reason if it did not run
};
/// Encodes the result.
Frame toFrame(const CheckedScript& checked, std::uint32_t number);

/// Saves a model as TorchScript (`.ts`). The worker compiles the model and sends the file (the verb "write_script").
/// The file is loaded and run before it replaces an old one. An unedited import is copied, with all methods, attributes
/// and extra files. `verified` is true if the file was run, or is a copy. Throws Error{Refused} with the node that
/// TorchScript cannot express, and if the model calls the file at `path`, else like `WorkerClient::call`.
SaveReport saveScript(WorkerClient& worker, const std::shared_ptr<const GraphModule>& model, const std::string& path,
                      RunRequest inputs, bool verify, const Progress& progress = {});

} // namespace fx::remote
