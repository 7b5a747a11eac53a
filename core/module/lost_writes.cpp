// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/lost_writes.h"

#include "core/base/listed.h"
#include "core/module/call_semantics.h"

#include <algorithm>

namespace fx {
namespace {

constexpr std::size_t kShown = 3;

class LostWrites {
public:
    LostWrites(const GraphModule& before, const GraphModule& after)
        : m_before(before.graph), m_after(after.graph), m_semantics(*before.root) {}

    void tell(const Node& gone, Warnings& warnings) {
        for (const NodeId value : m_semantics.written(gone)) {
            if (!exists(value)) continue;
            const std::vector<NodeId>& left = readersOf(value);
            auto reader = std::upper_bound(left.begin(), left.end(), gone.id(),
                                           [&](NodeId a, NodeId b) { return m_before.isBefore(a, b); });
            const auto count = static_cast<std::size_t>(left.end() - reader);
            if (count == 0) continue;
            std::vector<std::string> readers;
            for (; reader != left.end() && readers.size() < kShown; ++reader)
                readers.push_back(m_after.node(*reader).name());
            const std::string& name = m_after.node(value).name();
            warnings.push_back({Message("edit.writer_gone", {{"node", gone.name()},
                                                             {"value", name},
                                                             {"readers", listedInSentence(readers, count)},
                                                             {"count", count}}),
                                name,
                                {},
                                {}});
        }
    }
    bool exists(NodeId id) const { return index(id) < m_after.idLimit() && !m_after.node(id).erased(); }

private:
    /// What still reads a value, in order; of each value once, for it may have many writers.
    const std::vector<NodeId>& readersOf(NodeId value) {
        const auto [readers, isNew] = m_readers.try_emplace(value);
        if (!isNew) return readers->second;
        for (const NodeId user : m_before.node(value).users())
            if (exists(user)) readers->second.push_back(user);
        std::sort(readers->second.begin(), readers->second.end(),
                  [&](NodeId a, NodeId b) { return m_before.isBefore(a, b); });
        return readers->second;
    }

    const Graph &m_before, &m_after;
    CallSemantics m_semantics;
    std::unordered_map<NodeId, std::vector<NodeId>> m_readers;
};

} // namespace

void warnOfLostWrites(const GraphModule& before, const GraphModule& after, Warnings& warnings) {
    LostWrites lost(before, after);
    for (const Node& node : before.graph.nodes())
        if (!lost.exists(node.id())) lost.tell(node, warnings);
}

} // namespace fx
