// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/preparation/pattern_matches.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Gives the calls of standalone modules a match of their own, whatever else matched. Throws Error{Refused} for one
/// that is called twice, which torch.ao would trace with its observers.
void matchStandalone(const NodeHeads& heads, const CustomConfig& custom, PatternMatches& matches);

/// The graph of a standalone module, with the module as its root: what the trace of a source left in it, that of a
/// nested GraphModule, or the calls of a Sequential. Throws Error{Refused} for others.
GraphModule standaloneGraph(const Module& module, const std::string& path);

/// A child module that is this GraphModule.
std::shared_ptr<Module> asChild(GraphModule model);

} // namespace fx::quant
