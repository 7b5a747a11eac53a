// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {

/// Reads one `forward` that torch.fx printed into `module.graph`. Each statement becomes a node with its name.
///
/// Reading traces and computes nothing: `_set_grad_enabled = torch._C._set_grad_enabled(False)` is an ordinary
/// call_function. Annotations become shapes, dtypes and devices; comments `# File: PATH:LINE in FUNCTION, code: TEXT`
/// become stack traces. `start` and `end` delimit the function in `text`. Adds warnings to `module`. Throws Error{File}
/// with the line for text that torch.fx does not print.
void readPrintedForward(GraphModule& module, std::string_view text, std::size_t start, std::size_t end);

} // namespace fx
