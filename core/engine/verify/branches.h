// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/modules/branch_watch.h"
#include "core/engine/verify/verify.h"

#include <map>

namespace fx::engine {

/// Erases the entries that both models have. The key describes what a node does; nodes with equal keys do the same.
template<class T> void dropCommon(std::multimap<std::string, T>& ofA, std::multimap<std::string, T>& ofB) {
    for (auto mine = ofA.begin(); mine != ofA.end();) {
        const auto same = ofB.find(mine->first);
        if (same != ofB.end()) ofB.erase(same), mine = ofA.erase(mine);
        else ++mine;
    }
}

/// Returns the names of changed nodes that contain branches, loops or comparisons (TorchScript blocks, calls of whole
/// files, torch.cond) of which the runs that `watch` recorded took only one side. Leaves out nodes that both models
/// have with the same code, since they do the same on either side. The names are sorted and unique.
std::vector<std::string> oneSidedNodes(const VerifySide& a, const VerifySide& b, const ChangedPart& part,
                                       const BranchWatch& watch);

} // namespace fx::engine
