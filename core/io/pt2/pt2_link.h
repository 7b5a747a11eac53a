// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/pt2/pt2_json.h"
#include "core/ir/graph.h"

namespace fx {

/// Which node of a graph that was read is which node of the same graph after edits: by identity, and by name where a
/// pass has built the graph anew.
class Pt2Link {
public:
    Pt2Link(const Graph& before, const Graph& now);

    /// What the node was, or kNoNode when it is new.
    NodeId before(NodeId now) const;
    /// Whether the value is what it was, names aside.
    bool same(const Argument& before, const Argument& now) const;
    bool same(const Node& before, const Node& now) const; ///< arguments only
    /// What values are called now. A name that another node has taken gets a new one.
    const Pt2Renames& renames() const { return m_renames; }

private:
    void link(NodeId before, NodeId now);
    void linkNodes();
    void linkGetItems();
    void findRenames();

    const Graph &m_graphBefore, &m_graphNow;
    std::unordered_map<std::uint32_t, NodeId> m_before, m_now;
    Pt2Renames m_renames;
};

/// The place that an `operator.getitem` node takes out of a node with several results, or -1.
std::int64_t getItemPlace(const Node& node);

} // namespace fx
