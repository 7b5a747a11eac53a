// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"
#include "core/remote/value_view.h"

#include <chrono>

namespace fx::remote {

class WorkerClient;

/// A request to run a model up to a node and view its value. The worker keeps the value of the last node, so viewing
/// another part or slice of it runs nothing.
struct ValuesRequest {
    RunRequest run;                   ///< inputs are named and drawn as for the original, if there is one
    std::optional<ModelRef> original; ///< run as well, for the node of the same name
    std::string node;
    std::int64_t part = 0; ///< index in `NodeValues::parts`
    ValueSlice slice;
};

Frame toFrame(const ValuesRequest& request, std::uint32_t number, bool local);
ValuesRequest valuesRequest(const Frame& frame);
Frame toFrame(const NodeValues& values, std::uint32_t number);
NodeValues nodeValues(const Frame& frame);

/// Asks the worker. Errors as in `WorkerClient::run`.
NodeValues lookAt(WorkerClient& worker, const ValuesRequest& request, std::chrono::milliseconds timeout = {},
                  const Progress& progress = {});

} // namespace fx::remote
