// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/ir/node.h"
#include "core/remote/model_store.h"

namespace app {

/// What a verb of the worker works with.
struct Context {
    fx::remote::ModelStore& models; ///< `models.get(request.model)`
    /// Reports go to the client as Progress frames; stops when the request is no longer wanted. Looked at between
    /// nodes.
    const fx::Progress& progress;
    int channel = -1; ///< where frames are written to

    /// For RunHooks::before: throws Error{Cancelled} with the node when the request is no longer wanted.
    void checkAt(const fx::Node& node) const {
        if (progress.stopRequested())
            throw fx::Error(fx::ErrorKind::Cancelled, fx::Message("app.cancelled")).onNode(node.name());
    }
};

} // namespace app
