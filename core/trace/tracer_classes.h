// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::trace {

/// The behaviour of a tracer class that a saved GraphModule names, where it differs from torch.fx's Tracer. PyTorch
/// traces the saved code with the class that created the graph.
struct TracerClass {
    /// Reading a parameter gives its value, which is recorded when a proxy uses it; results computed from parameters
    /// alone are constants. Called modules are traced through.
    bool readsValues = false;
    /// The exception that Python raises when creating such a tracer; empty if it succeeds.
    std::string_view refusal = {};
    /// True for classes of PyTorch, whose behaviour is completely known.
    bool isKnown = false;
};

/// Returns the behaviour of a class by its qualified name; empty is torch.fx's Tracer. Unknown classes behave like it.
TracerClass tracerClass(std::string_view name);

} // namespace fx::trace
