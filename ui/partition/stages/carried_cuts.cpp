// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/carried_cuts.h"

#include <algorithm>

namespace ui {

using fx::NodeId;

/// `size()` for nodes that are not on the line.
std::size_t CarriedCuts::placeOf(NodeId after) const {
    return after == fx::kNoNode ? m_after.size() : m_after.placeOf(after);
}

std::size_t CarriedCuts::carried(std::size_t cut) const {
    const auto& calls = m_before.calls();
    const std::size_t none = m_after.size();
    if (const std::size_t same = placeOf(m_nodes.same(calls[cut])); same != none) return same;
    if (const std::size_t last = placeOf(m_nodes.same(calls[cut - 1])); last != none) return last + 1;
    if (const std::size_t instead = placeOf(m_nodes[calls[cut]]); instead != none) return instead;
    for (std::size_t next = cut + 1; next < calls.size(); ++next)
        if (const std::size_t place = placeOf(m_nodes.sameOrTaken(calls[next])); place != none) return place;
    return none;
}

fx::StageLine::Cuts CarriedCuts::operator()(const fx::StageLine::Cuts& cuts) const {
    if (m_after.size() <= cuts.size()) return {};
    fx::StageLine::Cuts result;
    for (const std::size_t cut : cuts) {
        const std::size_t least = result.empty() ? 1 : result.back() + 1;
        const std::size_t most = m_after.size() - (cuts.size() - result.size());
        result.push_back(std::clamp(carried(cut), least, most));
    }
    return result;
}

} // namespace ui
