// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/run_message.h"
#include "core/remote/value_view.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// A request to run a model up to a node and view its value. The worker keeps the value of the last node, so viewing
/// another part or slice of it runs nothing.
struct ValuesRequest {
    RunRequest run;                   ///< inputs are named and drawn as for the original, if set
    std::optional<ModelRef> original; ///< also run, for the node of the same name
    std::string node;
    std::int64_t part = 0; ///< index in `NodeValues::parts`
    ValueSlice slice;
};

/// Encodes the request. `local`: see `toFrame(RunRequest)`.
Frame toFrame(const ValuesRequest& request, std::uint32_t number, bool local);
/// Decodes the request. Throws Error for invalid messages.
ValuesRequest valuesRequest(const Frame& frame);
/// Encodes the result.
Frame toFrame(const NodeValues& values, std::uint32_t number);
/// Decodes the result. Throws Error for invalid messages.
NodeValues nodeValues(const Frame& frame);

/// Requests the value from the worker. Throws like `WorkerClient::run`.
NodeValues lookAt(WorkerClient& worker, const ValuesRequest& request, std::chrono::milliseconds timeout = {},
                  const Progress& progress = {});

} // namespace fx::remote
