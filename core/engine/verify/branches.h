// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/changed_part.h"
#include "core/engine/modules/branch_watch.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Nodes with branches, loops or comparisons of their own (blocks of TorchScript, calls of whole files, torch.cond)
/// that only one of the models has so, and of which the runs that `watch` saw took only one side. What both models have
/// in the same words is left out: it does the same, whatever side it takes.
std::vector<std::string> oneSidedNodes(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                       const BranchWatch& watch);

} // namespace fx::engine
