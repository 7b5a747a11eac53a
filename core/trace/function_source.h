// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {

/// Traces a function of Python source as `torch.fx.symbolic_trace(function)` does: same nodes, same names.
///
/// `name`: the function; if empty, the only one in the source. The source may import modules; `torch`, `nn`, `F`,
/// `operator` and `math` need no import. The function may call others in the source, and may have loops and conditions
/// on values known while tracing. Throws Error{File} for text that is not Python and Error{Refused} for code that
/// cannot be traced, both with line, column and the line's text.
GraphModule traceFunctionSource(std::string_view source, std::string_view name = {});

} // namespace fx
