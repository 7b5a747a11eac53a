// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"
#include "core/remote/script_message.h"

namespace fx::remote {

/// Opens a model; a worker describes scripts.
inline std::shared_ptr<GraphModule> openScript(const std::string& path, OpenOptions options = {}) {
    options.readers.script = scriptsByWorker({{LANCET_WORKER}, true, 0});
    return openModel(path, options);
}

} // namespace fx::remote
