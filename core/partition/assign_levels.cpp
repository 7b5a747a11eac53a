// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/assignment.h"

#include <algorithm>

namespace fx {

Assignment assignLevels(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress) {
    Assignment result;
    result.groupOf.assign(graph.idLimit(), Assignment::kNone);
    result.reaches.assign(graph.idLimit(), Assignment::kNone);
    result.next.assign(graph.idLimit(), kNoNode);
    std::vector<std::uint32_t> sizes;
    std::uint32_t newId = 0, visited = 0;
    for (NodeId id = graph.last(); id != kNoNode; id = graph.prev(id)) {
        if (++visited % 8192 == 0) progress.check();
        std::int32_t level = Assignment::kNone;
        const bool supported = isSupported[index(id)];
        for (const NodeId user : graph.node(id).users()) {
            // Through something unsupported only the level above can be joined.
            const std::int32_t through = result.reaches[index(user)] + (supported && !isSupported[index(user)] ? 1 : 0);
            if (through > level) level = through, result.next[index(id)] = user;
        }
        if (supported) {
            level = std::max(level, 0);
            const auto group = static_cast<std::size_t>(level);
            if (group == sizes.size()) sizes.push_back(0), result.ids.push_back(newId);
            // The smaller of two partitions goes into the larger, and of two nodes the older into the newer.
            if (++sizes[group] == 2) result.ids[group] = newId;
            result.groupOf[index(id)] = level;
            ++newId;
        }
        result.reaches[index(id)] = level;
    }
    return result;
}

} // namespace fx
