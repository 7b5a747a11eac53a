// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/branch_watch.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/interpreter.h>

namespace fx::engine {

/// The code of a graph, inlined, that tells `watch` which sides it takes: of branches, of loops that end by a
/// condition, and of comparisons of numbers and strings. Decisions that do not depend on the inputs are no such, nor
/// are branches of which one side only raises: that side no run returns from. `self`: the module that is the
/// graph's first input, whose attributes are known unless the graph sets them; None for a graph without. `of`: what the
/// sides are noted of.
const torch::jit::Code& watchedCode(BranchWatch& watch, const void* of, const std::shared_ptr<torch::jit::Graph>& graph,
                                    const c10::IValue& self);

/// While it is alive, what watched code of this thread takes is noted of this.
class WatchedRun {
public:
    WatchedRun(BranchWatch& watch, const void* of);
    ~WatchedRun();

private:
    std::pair<BranchWatch*, const void*> m_before;
};

} // namespace fx::engine
