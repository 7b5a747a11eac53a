// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::trace {

/// How a tracer that a saved GraphModule names treats its model, where that differs from torch.fx's Tracer. PyTorch
/// traces the saved code with the class that made the graph.
struct TracerClass {
    /// Reading a parameter gives its value, which is recorded where a proxy meets it; what is computed of parameters
    /// alone is a constant. Modules that are called are traced through.
    bool readsValues = false;
    /// What Python raises instead of making such a tracer; empty if it can be made.
    std::string_view refusal = {};
    /// Whether it is PyTorch's, so that all of it is known.
    bool isKnown = false;
};

/// By the qualified name of the class; empty is torch.fx's Tracer. Classes that are not PyTorch's are taken for it.
TracerClass tracerClass(std::string_view name);

} // namespace fx::trace
