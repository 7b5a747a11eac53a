// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/branch_watch.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/interpreter.h>

namespace fx::engine {

/// Returns the inlined code of a graph, instrumented to report to `watch` the sides that it takes: of branches, of
/// loops that end by a condition, and of comparisons of numbers and strings. Excludes decisions that do not depend on
/// the inputs, and branches of which one side only raises, since no run returns from it. `self` is the module that is
/// the graph's first input, whose attributes are known unless the graph sets them; None for a graph without. `of` is
/// the key of the sides in `watch`.
const torch::jit::Code& watchedCode(BranchWatch& watch, const void* of, const std::shared_ptr<torch::jit::Graph>& graph,
                                    const c10::IValue& self);

/// During its lifetime, watched code on this thread records its sides under the key `of`.
class WatchedRun {
public:
    WatchedRun(BranchWatch& watch, const void* of);
    ~WatchedRun();

private:
    std::pair<BranchWatch*, const void*> m_before;
};

} // namespace fx::engine
