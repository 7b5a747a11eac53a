// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <string_view>

namespace fx {

/// Traces a function of Python source as `torch.fx.symbolic_trace(function)` does: same nodes, same names.
///
/// `name`: the function; empty: the only one of the source. The source may import modules; `torch`, `nn`, `F`,
/// `operator` and `math` are there without. The function may call others of the source, and have loops and conditions
/// on what is known while it is traced. Throws Error{File} for text that is not Python and Error{Refused} for what
/// cannot be traced, both with line, column and the line's text.
GraphModule traceFunctionSource(std::string_view source, std::string_view name = {});

} // namespace fx
