// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/message.h"

namespace fx::remote {

/// The content of a TorchScript file.
struct ScriptDescription {
    struct Method {
        std::string name;
        std::string graph; ///< `str(module.inlined_graph)`
    };
    struct Tensor {
        std::string path, dtype;
        std::vector<std::int64_t> sizes;
        bool isParameter = false;
    };
    std::string className;
    std::vector<Method> methods;
    std::vector<Tensor> tensors;
};

/// Requests the description of the file at `path` on the worker's machine.
Frame describeScriptFrame(const std::string& path, std::uint32_t number);
std::string scriptPath(const Frame& frame);
Frame toFrame(const ScriptDescription& description, std::uint32_t number);
ScriptDescription scriptDescription(const Frame& frame);

} // namespace fx::remote
