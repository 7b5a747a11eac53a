// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/importing/call_frame.h"

#include <optional>

namespace fx::script {

/// Computes an operator that reads lists, tuples, dicts or ranges whose items are known, without a node of the graph:
/// `a[i]`, `len(a)`, `key in dict`, `dict.items()`, `a + b`, `OrderedDict()`, and the turns of a loop over a range.
/// nullopt for other operators, and if the result is unknown. Throws Unsupported if the script would raise.
std::optional<Symbol> foldContainer(const CallFrame& frame, const Node& node);

} // namespace fx::script
