// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/pattern_matches.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Replaces the matches of calls to standalone modules by separate ones. Throws Error{Refused} for a module that is
/// called twice, since torch.ao would trace it with its observers.
void matchStandalone(const NodeHeads& heads, const CustomConfig& custom, PatternMatches& matches);

/// Returns the graph of a standalone module, with the module as its root: the graph stored by the trace of a source,
/// that of a nested GraphModule, or the calls of a Sequential. Throws Error{Refused} for other modules.
GraphModule standaloneGraph(const Module& module, const std::string& path);

/// Returns the GraphModule as a child module.
std::shared_ptr<Module> asChild(GraphModule model);

} // namespace fx::quant
