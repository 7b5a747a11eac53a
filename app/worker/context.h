// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/ir/node.h"
#include "core/remote/model_store.h"

namespace app {

/// The context of a verb of the worker.
struct Context {
    fx::remote::ModelStore& models; ///< `models.get(request.model)`
    /// Sends reports to the client as Progress frames. Stops when the request is cancelled; checked between nodes.
    const fx::Progress& progress;
    int channel = -1;          ///< descriptor for frames
    std::uint32_t request = 0; ///< the number of the request, for frames
    int descriptors = -1;      ///< source of files (core/remote/descriptor_channel.h); -1: none

    /// Throws Error{Cancelled} with the node if the request was cancelled; a `RunHooks::before`.
    void checkAt(const fx::Node& node) const {
        if (progress.stopRequested())
            throw fx::Error(fx::ErrorKind::Cancelled, fx::Message("app.cancelled")).onNode(node.name());
    }
};

} // namespace app
