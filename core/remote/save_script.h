// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/save_graphmodule.h"
#include "core/remote/message.h"

namespace fx::remote {

class WorkerClient;

/// A request to write a model as TorchScript.
struct WriteScriptRequest {
    RunRequest run;     ///< the model, and the inputs that it is run with afterwards
    std::string target; ///< a path on the worker's machine
    bool verify = true; ///< run it, if there are inputs
};
/// The answer to a WriteScriptRequest.
struct WrittenScript {
    bool ran = false; ///< it was run and gave the same numbers as the model
};
Frame toFrame(const WriteScriptRequest& request, std::uint32_t number, bool local);
WriteScriptRequest writeScriptRequest(const Frame& frame);
Frame toFrame(const WrittenScript& written, std::uint32_t number);

/// Saves a model as TorchScript (`.ts`): the worker compiles it, and the file is loaded and run before it replaces an
/// old one. An import that was not edited is written as it was, with all methods, attributes and extra files.
/// `verified` is true if it was run, or is unchanged. Throws Error{Refused} with the node that TorchScript cannot
/// express, and if the model calls the file at `path`, else like `WorkerClient::call`.
SaveReport saveScript(WorkerClient& worker, const std::shared_ptr<const GraphModule>& model, const std::string& path,
                      RunRequest inputs, bool verify, const Progress& progress = {});

} // namespace fx::remote
